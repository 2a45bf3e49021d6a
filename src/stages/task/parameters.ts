import { z } from 'zod';

/** Names that can stand in a template, in Python and in TOML without quotes. */
const PARAMETER_NAME = /^[a-z][a-z0-9_]{0,40}$/;

/** Numbers beyond 2^53 apart cannot be drawn evenly. */
function narrow({ min, max }: { min: number; max: number }): boolean {
  return Number.isSafeInteger(max - min);
}
const tooWide = { error: 'the range is wider than 2^53', path: ['max'] };
const inOrder = { error: 'min is greater than max', path: ['min'] };

const integer = z
  .strictObject({ type: z.literal('integer').describe('one whole number'), min: z.int(), max: z.int() })
  .refine(({ min, max }) => min <= max, inOrder)
  .refine(narrow, tooWide);
const choice = z.strictObject({
  type: z.literal('choice').describe('one of the listed values'),
  of: z.array(z.union([z.string(), z.int()])).min(1),
});
const name = z.strictObject({
  type: z.literal('name').describe('an invented identifier of two words'),
  style: z.enum(['snake', 'camel', 'pascal', 'kebab']).default('snake'),
});
const text = z.strictObject({
  type: z.literal('text').describe('lower-case words with single spaces'),
  words: z.int().min(1).max(10_000),
});
const words = z.strictObject({
  type: z.literal('words').describe('a list of distinct words'),
  count: z.int().min(1).max(200),
});
const integers = z
  .strictObject({
    type: z.literal('integers').describe('a list of whole numbers'),
    count: z.int().min(1).max(100_000),
    min: z.int(),
    max: z.int(),
  })
  .refine(({ min, max }) => min <= max, inOrder)
  .refine(narrow, tooWide);

const cell = z.discriminatedUnion('type', [integer, choice, name, text]);

const table = z.strictObject({
  type: z.literal('table').describe('a list of rows, each with the named columns'),
  rows: z.int().min(1).max(100_000),
  columns: z.record(z.string().regex(PARAMETER_NAME, 'must be snake_case'), cell),
});

/** One parameter of `[proctor.parameters]`: what to draw from the instance's seed. */
export const parameterSchema = z.discriminatedUnion('type', [integer, choice, name, text, words, integers, table]);

export type ParameterSpec = z.infer<typeof parameterSchema>;
export type CellSpec = z.infer<typeof cell>;

export const parametersSchema = z.record(z.string().regex(PARAMETER_NAME, 'must be snake_case'), parameterSchema);
