import { InvalidArgumentError } from 'commander';

/** The value of an option that is a count. */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number from 1 to 999 is needed');
}

/** The value of an option that is a time, at most an hour. */
export function seconds(text: string): number {
  const given = Number(text);
  if (given > 0 && given <= 3_600) return given;
  throw new InvalidArgumentError('seconds from 0 to 3600 are needed');
}

/** The value of an option that is a day or a moment. */
export function moment(text: string): Date {
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) return date;
  throw new InvalidArgumentError('write it as 2026-11-30 or 2026-11-30T12:00:00Z');
}
