import { parse } from 'yaml';
import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { nearestName } from './nearest-name.ts';

/** What a data set is written as; each is one file on each side of the split. */
export const FORMATS = ['openai', 'atif', 'sft', 'preferences', 'rl-prompts'] as const;
export type Format = (typeof FORMATS)[number];

const names = z.array(z.string().min(1).max(200)).min(1).max(1_000);
const moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })])
  .transform((text) => new Date(text))
  .describe('as 2026-11-30 or 2026-11-30T12:00:00Z');
const share = z.number().min(0).max(1);

/** What episodes are spread over when fewer are wanted than there are. */
export const SPREADS = ['task', 'length', 'technique', 'outcome', 'policy'] as const;

export const recipeSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,60}$/, 'must be lower-case letters, digits and dashes'),
  about: z.string().max(2_000).default(''),
  /** Draws what is left to chance: the same seed and data give the same files. */
  seed: z.union([z.string().min(1).max(200), z.int()]).transform(String),
  licence: z.string().min(1).max(200).default('not stated'),
  from: z
    .strictObject({
      runs: names.optional(),
      tasks: names.optional(),
      since: moment.optional(),
      until: moment.optional(),
      phase: z.enum(['train', 'eval', 'any']).default('train'),
    })
    .prefault({}),
  keep: z
    .strictObject({
      outcomes: z
        .array(z.enum(['passed', 'failed']))
        .min(1)
        .default(['passed', 'failed']),
      min_quality: share.default(0),
      min_weight: share.default(0).describe('of what the policy decided'),
      min_steps: z.int().min(0).max(10_000).default(1),
      max_steps: z.int().min(1).max(10_000).default(2_000),
      within_reach: z.boolean().default(false).describe('only tasks from which the policy that acted can learn'),
      near_duplicates: z.boolean().default(false).describe('keep sessions that are nearly the same'),
      likeness: z.number().min(0.5).max(1).default(0.9).describe('from which two sessions are nearly the same'),
      negatives: z.boolean().default(false).describe('take what was found to cheat too, labelled as such'),
    })
    .prefault({}),
  quality: z
    .strictObject({ completion: share.default(0.5), validity: share.default(0.3), novelty: share.default(0.2) })
    .prefault({}),
  reach: z
    .tuple([share, share])
    .default([0.1, 0.9])
    .refine(([low, high]) => low < high, 'the first must be less than the second'),
  balance: z
    .strictObject({
      total: z.int().min(1).max(1_000_000).optional(),
      per_task: z.int().min(1).max(1_000_000).optional(),
      per_prompt: z.int().min(1).max(1_000_000).optional(),
      over: z.array(z.enum(SPREADS)).default(['task', 'length', 'technique']),
    })
    .prefault({}),
  held_out: share.default(0.1).describe('share of prompt groups that are for testing'),
  formats: z
    .array(z.enum(FORMATS))
    .min(1)
    .default([...FORMATS]),
  files: z
    .array(z.enum(['jsonl', 'parquet']))
    .min(1)
    .default(['jsonl']),
  on_secret: z
    .enum(['fail', 'leave-out'])
    .default('fail')
    .describe('what becomes of an episode in which something stands that must not leave'),
  human_check: z.int().min(0).max(1_000).default(20).describe('best episodes that are drawn for a person to look at'),
});
/** What a data set is to be made of. */
export type Recipe = Readonly<z.infer<typeof recipeSchema>>;

/** Reads a recipe (YAML, of which JSON is a part). `bad-request` with every fault, its place and, for a name that nobody knows, the nearest one. */
export function parseRecipe(text: string): Recipe {
  const checked = recipeSchema.safeParse(parseYaml(text));
  if (checked.success) return checked.data;
  const problems = checked.error.issues.flatMap(problemsOf);
  throw new ProctorError('bad-request', `the recipe is not right:\n  ${problems.join('\n  ')}`, { problems });
}

function parseYaml(text: string): unknown {
  try {
    // aliases could make a small text large
    return parse(text, { maxAliasCount: 0 });
  } catch (thrown) {
    throw new ProctorError('bad-request', `the recipe is no YAML: ${thrown instanceof Error ? thrown.message : ''}`);
  }
}

function problemsOf(issue: z.core.$ZodIssue): readonly string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${[...path, key].join('.')}: there is no such field${hint(key, fieldsAt(path))}`);
  }
  if (issue.code === 'invalid_value') {
    const known = issue.values.map(String);
    return [`${path.join('.')}: must be one of ${known.join(', ')}`];
  }
  return [`${path.join('.') || 'recipe'}: ${issue.message}`];
}

function hint(key: string, known: readonly string[]): string {
  const nearest = nearestName(key, known);
  return nearest === null ? `; there are: ${known.join(', ')}` : `; did you mean ${nearest}?`;
}

/** Names of the fields of the table at a path. */
function fieldsAt(path: readonly string[]): readonly string[] {
  const shape = z.toJSONSchema(recipeSchema, { io: 'input', unrepresentable: 'any' }) as Shape;
  const table = path.reduce<Shape | undefined>((at, key) => at?.properties?.[key], shape);
  return Object.keys(table?.properties ?? {});
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
}
