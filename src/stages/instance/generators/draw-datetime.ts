import { ProctorError } from '../../../platform/base/errors.ts';
import { secondsOfDate } from '../../task/cell-schema.ts';
import type { CellSpec } from '../../task/parameters.ts';
import type { RandomStream } from '../random-stream.ts';

const DAY_SECONDS = 86_400;

/** Offsets that clocks of the world show, in minutes from UTC. Part of the format. */
const OFFSETS_MINUTES: readonly number[] = [
  ...[-660, -600, -570, -540, -480, -420, -360, -300, -240, -210, -180, -120, -60, 0, 60, 120, 180, 210, 240, 270],
  ...[300, 330, 345, 360, 390, 420, 480, 525, 540, 570, 600, 630, 660, 720, 765, 780, 840],
];

/** A day, or a second of the days from `from` to `to`, in UTC; each equally likely. */
export function drawDatetime(spec: Extract<CellSpec, { type: 'datetime' }>, stream: RandomStream): string | number {
  const [first, last] = [startOfDay(spec.from), startOfDay(spec.to)];
  if (spec.form === 'date') {
    const days = (last - first) / DAY_SECONDS + 1;
    return isoText(first + stream.below(days) * DAY_SECONDS).slice(0, 10);
  }
  const second = first + stream.below(last - first + DAY_SECONDS);
  if (spec.form === 'epoch') return second;
  if (spec.zone === 'utc') return `${isoText(second)}Z`;
  const offset = stream.pick(OFFSETS_MINUTES);
  return `${isoText(second + offset * 60)}${offsetText(offset)}`;
}

/** Seconds from 1970 to the start of a day in UTC. */
export function startOfDay(date: string): number {
  const seconds = secondsOfDate(date);
  if (seconds === null) throw new ProctorError('task-invalid', `there is no day ${JSON.stringify(date)}`);
  return seconds;
}

/** `2024-05-01T09:00:03` in UTC, whatever the machine's zone. */
export function isoText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 19);
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
