import { randomBytes } from 'node:crypto';

/** Prefixes that tell a reader what an id names. */
export type IdKind =
  | 'inst'
  | 'sub'
  | 'grade'
  | 'sig'
  | 'ver'
  | 'dec'
  | 'rew'
  | 'key'
  | 'att'
  | 'wrk'
  | 'adm'
  | 'sess'
  | 'prof'
  | 'case'
  | 'rul'
  | 'shd'
  | 'hook';

/** An id that sorts by time of making: `sub_` + 9 base-36 digits of milliseconds + 80 random bits. */
export function newId(kind: IdKind): string {
  const time = Date.now().toString(36).padStart(9, '0');
  return `${kind}_${time}${randomBytes(10).toString('hex')}`;
}

/** What every id of one kind that was made since then is greater than or equal to, as texts are ordered. */
export function idsSince(kind: IdKind, date: Date): string {
  return `${kind}_${Math.max(0, date.getTime()).toString(36).padStart(9, '0')}`;
}

/** The pattern of an id of one kind, for schemas. */
export function idPattern(kind: IdKind): RegExp {
  return new RegExp(`^${kind}_[0-9a-z]{9}[0-9a-f]{20}$`);
}
