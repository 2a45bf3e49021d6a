import { createHash } from 'node:crypto';

/** Where a file stands in its page: names are hostile, so a digest stands for them. */
export function fileAnchor(path: string): string {
  return `file-${createHash('sha256').update(path).digest('hex').slice(0, 16)}`;
}

/** Where an event stands in its page. */
export const eventAnchor = (seq: number): string => `event-${seq}`;

/** The number of the event that a piece of evidence names, or null; see `placeOf` of the signal stage. */
export function eventOfPlace(place: string): number | null {
  const [, seq] = /^session\/(?:step \d+, )?event (\d{1,9})$/.exec(place) ?? [];
  return seq === undefined ? null : Number(seq);
}
