import { z } from 'zod';
import { CELLS, integersSchema } from './cell-schema.ts';
import { codeSchema, graphSchema, logSchema, parameterName, tableSchema, treeSchema } from './structure-schema.ts';

export type { CellSpec } from './cell-schema.ts';

const levelName = z.string().regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be kebab-case');

/** What every parameter may have besides the settings of its type. */
const SHARED = {
  late: z.boolean().optional().describe('drawn after the hand-in, from another seed'),
  at: z
    .record(levelName, z.record(z.string(), z.unknown()))
    .optional()
    .describe('settings that replace these at a level of difficulty'),
};
/** What `at` cannot replace: a level changes how much is drawn, not what a parameter is. */
const FIXED = ['type', 'late', 'at'];

const words = z.strictObject({
  type: z.literal('words').describe('a list of distinct words'),
  count: z.int().min(1).max(200),
});

const oneLevel = z.discriminatedUnion('type', [
  CELLS.integer.safeExtend(SHARED),
  CELLS.decimal.safeExtend(SHARED),
  CELLS.choice.safeExtend(SHARED),
  CELLS.name.safeExtend(SHARED),
  CELLS.text.safeExtend(SHARED),
  CELLS.person.safeExtend(SHARED),
  CELLS.prose.safeExtend(SHARED),
  CELLS.datetime.safeExtend(SHARED),
  words.safeExtend(SHARED),
  integersSchema.safeExtend(SHARED),
  tableSchema.safeExtend(SHARED),
  graphSchema.safeExtend(SHARED),
  treeSchema.safeExtend(SHARED),
  logSchema.safeExtend(SHARED),
  codeSchema.safeExtend(SHARED),
]);

export type ParameterSpec = z.infer<typeof oneLevel>;

/** One parameter of `[proctor.parameters]`: what to draw from the instance's seed, sound at every level that `at` names. */
export const parameterSchema = oneLevel.superRefine((spec, context) => {
  for (const [level, changes] of Object.entries(spec.at ?? {})) {
    const fixed = FIXED.filter((field) => Object.hasOwn(changes, field));
    for (const field of fixed) {
      context.addIssue({ code: 'custom', path: ['at', level, field], message: 'cannot be another at a level' });
    }
    if (fixed.length > 0) continue;
    const { error } = oneLevel.safeParse({ ...spec, ...changes });
    for (const issue of error?.issues ?? []) {
      const unknown = issue.code === 'unrecognized_keys' ? `: ${issue.keys.join(', ')}` : '';
      const message = unknown === '' ? issue.message : `is not a field that Proctor knows${unknown}`;
      context.addIssue({ code: 'custom', path: ['at', level, ...issue.path], message });
    }
  }
});

export const parametersSchema = z.record(parameterName, parameterSchema);

/** A parameter as it is at a level: the settings of `at` replace its own, each as a whole. */
export function specAt(spec: ParameterSpec, level: string | null): ParameterSpec {
  if (level === null || spec.at === undefined || !Object.hasOwn(spec.at, level)) return spec;
  return oneLevel.parse({ ...spec, ...spec.at[level] });
}

/** The name of the parameter that tells what is hidden in this one (planted places, symbols); null when nothing is. */
export function companionOf(name: string, spec: ParameterSpec): string | null {
  if (spec.type === 'code') return `${name}_symbols`;
  const isPlanted =
    (spec.type === 'table' && spec.anomalies !== undefined) || (spec.type === 'log' && spec.planted !== undefined);
  return isPlanted ? `${name}_planted` : null;
}

/** `[proctor.difficulty]`: levels that an instance can have; the level is the parameter `difficulty` too. */
export const difficultySchema = z.strictObject({
  levels: z
    .array(levelName)
    .min(1)
    .max(9)
    .refine((levels) => new Set(levels).size === levels.length, 'names a level twice')
    .describe('an instance has one of them: asked for, or drawn'),
});

/** What a constraint can ask of the parameters that it names. */
export const CONSTRAINT_KINDS = ['distinct', 'ascending', 'sum', 'differs_from', 'coprime'] as const;
export type ConstraintKind = (typeof CONSTRAINT_KINDS)[number];

const names = z
  .array(z.string())
  .min(2)
  .max(50)
  .refine((list) => new Set(list).size === list.length, 'names a parameter twice');
/** Numbers that have at most the places that a drawn number can have. */
const bound = z
  .number()
  .min(-1e15)
  .max(1e15)
  .refine((value) => /^-?\d+(\.\d{1,6})?$/.test(String(value)), 'must have at most 6 places');

/** One of `[[proctor.constraints]]`: exactly one kind, and for `sum` also `min`, `max` or both. */
export const constraintSchema = z
  .strictObject({
    distinct: names.optional().describe('values differ pairwise'),
    ascending: names.optional().describe('numbers, each greater than the one before'),
    sum: names.optional().describe('numbers whose sum is from min to max'),
    min: bound.optional(),
    max: bound.optional(),
    differs_from: z
      .strictObject({ name: z.string(), value: z.union([z.string(), z.number()]) })
      .optional()
      .describe('a value that is not the given one'),
    coprime: names.optional().describe('whole numbers without a common factor, pairwise'),
  })
  .superRefine((constraint, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    const kinds = CONSTRAINT_KINDS.filter((kind) => constraint[kind] !== undefined);
    if (kinds.length !== 1) refuse([], `must have exactly one of ${CONSTRAINT_KINDS.join(', ')}`);
    const { min, max } = constraint;
    const isBounded = min !== undefined || max !== undefined;
    if (isBounded !== (constraint.sum !== undefined)) {
      refuse(isBounded ? [] : ['sum'], 'min and max belong to a sum, and a sum needs one of them');
    }
    if (min !== undefined && max !== undefined && min > max) refuse(['min'], 'min is greater than max');
  });

export type Constraint = z.infer<typeof constraintSchema>;

/** The kind of a constraint and the parameters that it names. */
export function constraintParts(constraint: Constraint): { kind: ConstraintKind; names: readonly string[] } {
  const kind = CONSTRAINT_KINDS.find((one) => constraint[one] !== undefined) ?? 'distinct';
  const named = constraint[kind] ?? [];
  return { kind, names: 'name' in named ? [named.name] : named };
}
