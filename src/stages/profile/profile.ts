import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import { idPattern } from '../../platform/base/ids.ts';
import type { Behaviour } from './behaviour.ts';
import { FEATURES } from './features.ts';
import { TESTS } from './reference.ts';

const pSchema = z.number().min(0).max(1).nullable();
const namesOfTests = z.enum(TESTS);

const reasonSchema = z.object({
  test: namesOfTests,
  family: z.string(),
  feature: z.string(),
  unit: z.string(),
  value: z.number(),
  median: z.number(),
  range: z.tuple([z.number(), z.number()]).readonly(),
  seq: z.int(),
});

export const profileBodySchema = z.object({
  /** Whose sessions it is compared with: the name of its task. */
  cohort: z.string(),
  /** The policy that acted, as its harness said; null: nobody said. */
  window: z.string().nullable(),
  /** What it was compared with; null: there was no reference. */
  reference: z.object({ digest: digestSchema, window: z.string(), calibration: z.int() }).nullable(),
  /** Whether a recorder saw all of every step. */
  isRecorded: z.boolean(),
  /** Sessions of the same prompt that had ended before, which test G compares it with. */
  group: z.array(z.string()),
  /** Raw values in the order of `FEATURES`; null: not known. `of` is what a share is of, `at` the event that first made it so. */
  features: z.array(z.object({ name: z.string(), value: z.number().nullable(), of: z.number(), at: z.int() })),
  /** Of all tests together; null: not known, which accuses nobody. */
  p: pSchema,
  testP: z.object({ A: pSchema, R: pSchema, S: pSchema, G: pSchema }),
  leading: namesOfTests.nullable(),
  /** What behaviour alone proposes; a policy decides. */
  weight: z.number().min(0).max(1),
  review: z.boolean(),
  reason: z.enum([
    ...(['ordinary', 'unknown', 'access', 'cohort-too-small', 'new-window', 'gate-closed', 'odd'] as const),
    'corroborated',
  ]),
  explanation: z
    .object({
      test: namesOfTests,
      p: z.number(),
      sentence: z.string(),
      reasons: z.array(reasonSchema).readonly(),
      seq: z.int(),
    })
    .nullable(),
});

/** The behaviour of one session beside honest ones, as it was made out at one time. */
export type ProfileBody = Readonly<z.infer<typeof profileBodySchema>>;

export const profileRowSchema = z.object({
  id: z.string().regex(idPattern('prof')),
  sessionId: z.string().regex(idPattern('sess')),
  artifactId: z.string().regex(idPattern('sub')).nullable(),
  body: profileBodySchema,
  digest: digestSchema,
  createdAt: z.date(),
});
/** A stored profile. */
export type ProfileRow = Readonly<z.infer<typeof profileRowSchema>>;

/** What a profile keeps of a behaviour, or of one that was measured against a reference: raw values, not transformed. */
export function keptFeatures({ values, of, at }: Pick<Behaviour, 'values' | 'of' | 'at'>): ProfileBody['features'] {
  return FEATURES.map(({ name }, index) => ({
    ...{ name, value: values[index] ?? null, of: of[index] ?? 0, at: at[index] ?? 0 },
  }));
}

const NO_WORDS: ReadonlyMap<string, number> = new Map();

/**
 * The shape of a session from its stored profile, for the others of its group; what it did is not kept. Rarities are left out: they were measured
 * against the reference of that time, and a group is compared by what every session has of its own.
 */
export function shapeFrom(features: ProfileBody['features']): Behaviour {
  const known = new Map(features.map((feature) => [feature.name, feature]));
  const pick = <T>(read: (feature: ProfileBody['features'][number]) => T, otherwise: T) =>
    FEATURES.map(({ name, source }) => {
      const feature = source === 'vocabulary' ? undefined : known.get(name);
      return feature === undefined ? otherwise : read(feature);
    });
  return {
    values: pick<number | null>(({ value }) => value, null),
    of: pick(({ of }) => of, 0),
    at: pick(({ at }) => at, 0),
    ...{ executables: NO_WORDS, prefixes: NO_WORDS, bigrams: NO_WORDS, fiveGrams: NO_WORDS },
    ...{ calls: NO_WORDS, callTrigrams: NO_WORDS },
  };
}
