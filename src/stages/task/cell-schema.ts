import { z } from 'zod';

/** 10^n for n from 0 to 6, exact. */
export const POWERS_OF_TEN = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000] as const;
/** A double holds every decimal of 15 digits, so that a drawn decimal is written as it was drawn. */
const MAX_DIGITS_VALUE = 1e15;
const MAX_ZIPF_RANKS = 100_000;

/** Languages that names of persons come from. */
export const LOCALES = ['en', 'de', 'fr', 'es', 'it', 'pl', 'pt', 'sv', 'tr', 'ja'] as const;
export type Locale = (typeof LOCALES)[number];

/** How an identifier of several words is written. */
export const nameStyleSchema = z.enum(['snake', 'camel', 'pascal', 'kebab']);
export type NameStyle = z.infer<typeof nameStyleSchema>;

const distributionSchema = z.enum(['uniform', 'normal', 'log-uniform', 'zipf']);

/** Whole numbers from `min` to `max`, and how likely each is; `uniform` when nothing is said. */
export interface WholeRange {
  readonly min: number;
  readonly max: number;
  readonly distribution?: z.infer<typeof distributionSchema> | undefined;
}

/** What keeps a range from being drawn evenly and exactly, at the field to mend; null when nothing does. */
function rangeFault({ min, max, distribution }: WholeRange): { field: 'min' | 'max'; message: string } | null {
  if (min > max) return { field: 'min', message: 'min is greater than max' };
  if (!Number.isSafeInteger(max - min)) return { field: 'max', message: 'the range is wider than 2^53' };
  if (distribution === 'log-uniform' && min < 0) return { field: 'min', message: 'log-uniform needs min >= 0' };
  if (distribution === 'zipf' && max - min >= MAX_ZIPF_RANKS) {
    return { field: 'max', message: `zipf is for at most ${MAX_ZIPF_RANKS} values` };
  }
  return null;
}

/** A refinement for whatever has `min` and `max` (and perhaps a `distribution`) of whole numbers. */
export function checkRange(range: WholeRange, context: z.RefinementCtx): void {
  const fault = rangeFault(range);
  if (fault !== null) context.addIssue({ code: 'custom', path: [fault.field], message: fault.message });
}

/** A decimal's range in units of its last place; null when an end has more places, or more digits than a double holds. */
export function wholeRange(decimal: WholeRange & { readonly places: number }): WholeRange | null {
  const scale = POWERS_OF_TEN[decimal.places] ?? 1;
  const [min, max] = [Math.round(decimal.min * scale), Math.round(decimal.max * scale)];
  const exact = min / scale === decimal.min && max / scale === decimal.max;
  if (!exact || Math.max(Math.abs(min), Math.abs(max)) > MAX_DIGITS_VALUE) return null;
  return { min, max, distribution: decimal.distribution };
}

function checkDecimal(decimal: WholeRange & { readonly places: number }, context: z.RefinementCtx): void {
  const range = wholeRange(decimal);
  const message = `min and max must have at most ${decimal.places} places, and 15 digits in all`;
  if (range === null) context.addIssue({ code: 'custom', path: ['places'], message });
  else checkRange(range, context);
}

/** `2024-05-01`, in quotes, from 1600 to 2999, and a day that there is. */
export const dateSchema = z
  .string({ error: 'must be a date in quotes, as "2024-05-01"' })
  .regex(/^(1[6-9]|2\d)\d{2}-\d{2}-\d{2}$/, 'must be a date from 1600 to 2999, as "2024-05-01"')
  .refine((text) => secondsOfDate(text) !== null, 'there is no such day');

/** Seconds from 1970-01-01T00:00:00Z to the start of a day in UTC; null when there is no such day. */
export function secondsOfDate(date: string): number | null {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const at = new Date(Date.UTC(year, month - 1, day));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? at.getTime() / 1_000 : null;
}

const wholeNumber = { min: z.int(), max: z.int(), distribution: distributionSchema.optional() };

/** Fields of what is a list of whole numbers; see {@link checkRange}. */
export const integersSchema = z
  .strictObject({
    type: z.literal('integers').describe('a list of whole numbers'),
    count: z.int().min(1).max(100_000),
    ...wholeNumber,
  })
  .superRefine(checkRange);

const integer = z
  .strictObject({ type: z.literal('integer').describe('one whole number'), ...wholeNumber })
  .superRefine(checkRange);

const decimal = z
  .strictObject({
    type: z.literal('decimal').describe('a number with at most `places` places'),
    min: z.number(),
    max: z.number(),
    places: z.int().min(1).max(6),
    distribution: distributionSchema.optional(),
  })
  .superRefine(checkDecimal);

const choice = z
  .strictObject({
    type: z.literal('choice').describe('one of the listed values, as likely as its weight where there are weights'),
    of: z.array(z.union([z.string(), z.int()])).min(1),
    weights: z.array(z.int().min(1).max(1_000_000)).optional(),
  })
  .refine(({ of, weights }) => weights === undefined || weights.length === of.length, {
    error: 'there must be one weight for each value of `of`',
    path: ['weights'],
  });

const name = z.strictObject({
  type: z.literal('name').describe('an invented identifier of two words'),
  style: nameStyleSchema.default('snake'),
});

const text = z.strictObject({
  type: z.literal('text').describe('lower-case words with single spaces'),
  words: z.int().min(1).max(10_000),
});

const person = z.strictObject({
  type: z.literal('person').describe('an invented person’s name in its language’s characters and order'),
  locale: z.enum([...LOCALES, 'any']).default('any'),
  part: z.enum(['full', 'given', 'family']).default('full'),
});

const prose = z.strictObject({
  type: z.literal('prose').describe('English sentences with punctuation'),
  sentences: z.int().min(1).max(200),
});

const datetime = z
  .strictObject({
    type: z.literal('datetime').describe('ISO 8601 text, or whole seconds since 1970; within `from` and `to` in UTC'),
    from: dateSchema.describe('the first day'),
    to: dateSchema.describe('the last day'),
    form: z.enum(['date', 'datetime', 'epoch']).default('datetime'),
    zone: z.enum(['utc', 'offset']).default('utc'),
  })
  .refine(({ from, to }) => from <= to, { error: 'from is later than to', path: ['from'] })
  .refine(({ form, zone }) => zone === 'utc' || form === 'datetime', {
    error: 'an offset is written with form = "datetime" only',
    path: ['zone'],
  });

/** The types that a column of a table may have too. */
export const CELLS = { integer, decimal, choice, name, text, person, prose, datetime } as const;

export const cellSchema = z.discriminatedUnion('type', [
  ...[integer, decimal, choice, name],
  ...[text, person, prose, datetime],
] as const);

/** What one cell of a table is drawn from. */
export type CellSpec = z.infer<typeof cellSchema>;
