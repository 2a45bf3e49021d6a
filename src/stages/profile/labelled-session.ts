import { z } from 'zod';
import type { Behaviour, Words } from './behaviour.ts';
import type { EvaluatedRun } from './evaluate.ts';
import { extractTrajectory } from './extract-trajectory.ts';
import { FEATURE_AT, FEATURES, type FeatureName } from './features.ts';
import { trajectorySchema } from './trajectory.ts';

const FEATURE_NAMES = FEATURES.map(({ name }) => name) as [FeatureName, ...FeatureName[]];
/** More of one kind no behaviour holds; see `Tally`. */
const MOST_WORDS = 20_000;
const counted = z
  .record(z.string(), z.number().nonnegative())
  .refine((words) => Object.keys(words).length <= MOST_WORDS, `at most ${MOST_WORDS} words of one kind`);
const seen = counted.default({});

export const behaviourSchema = z.strictObject({
  /** Raw values by feature; one that is left out is not known. */
  features: z.partialRecord(z.enum(FEATURE_NAMES), z.number()),
  /** What a share is of, by feature. */
  of: z.partialRecord(z.enum(FEATURE_NAMES), z.number().nonnegative()).default({}),
  /** The event or step that first made a feature what it is. */
  at: z.partialRecord(z.enum(FEATURE_NAMES), z.int().nonnegative()).default({}),
  executables: seen,
  prefixes: seen,
  bigrams: seen,
  fiveGrams: seen,
  calls: seen,
  callTrigrams: seen,
});

/** A behaviour as plain JSON: words with where they were first seen, calls with how often they were made. */
export type StoredBehaviour = Readonly<z.infer<typeof behaviourSchema>>;

const factsSchema = z.strictObject({
  workspace: z.string().default('/work'),
  forbiddenPaths: z.array(z.string()).default([]),
  harnessPaths: z.array(z.string()).default([]),
  decoyPaths: z.array(z.string()).default([]),
});

export const labelledSessionSchema = z.strictObject({
  id: z.string().min(1).max(200),
  /** Its task, scaffold and policy: only sessions of one cohort are compared. */
  cohort: z.string().min(1).max(200).default('all'),
  /** Its prompt; null: it is alone. */
  group: z.string().min(1).max(200).nullable().default(null),
  /** `honest`, or the kind of its cheat. */
  label: z.string().min(1).max(100),
  /** Families of features that an explanation may rightly name first; left out: explanations are not judged. */
  touched: z.array(z.string()).optional(),
  behaviour: behaviourSchema.optional(),
  /** Instead of a behaviour: what was done, step by step. */
  trajectory: trajectorySchema.optional(),
  /** Of a trajectory: what is known for certain of its sandbox. */
  facts: factsSchema.prefault({}),
});

/** One line of a labelled set as it is written, for `proctor profile evaluate`. */
export type LabelledSession = Readonly<z.input<typeof labelledSessionSchema>>;

/** A session of a labelled set, ready to be judged; null: it has neither behaviour nor trajectory. */
export function openLabelled(line: z.infer<typeof labelledSessionSchema>): EvaluatedRun | null {
  const { id, cohort, group, label, touched, trajectory, facts } = line;
  const behaviour =
    line.behaviour !== undefined
      ? openBehaviour(line.behaviour)
      : trajectory === undefined
        ? null
        : extractTrajectory(trajectory, facts);
  if (behaviour === null) return null;
  return { id, cohort, group, behaviour, cheat: label === HONEST ? null : label, touched: touched ?? null };
}

/** The label of honest work. */
export const HONEST = 'honest';

/** A behaviour from plain JSON. */
export function openBehaviour(stored: StoredBehaviour): Behaviour {
  const row = (values: StoredBehaviour['features']) => FEATURE_NAMES.map((name) => values[name] ?? null);
  const { executables, prefixes, bigrams, fiveGrams, calls, callTrigrams } = stored;
  return {
    values: row(stored.features),
    of: row(stored.of).map((value) => value ?? 0),
    at: row(stored.at).map((value) => value ?? 0),
    ...{ executables: mapOf(executables), prefixes: mapOf(prefixes), bigrams: mapOf(bigrams) },
    ...{ fiveGrams: mapOf(fiveGrams), calls: mapOf(calls), callTrigrams: mapOf(callTrigrams) },
  };
}

/** The same as plain JSON; what is not known, or 0 where that is the rule, is left out. */
export function storedBehaviour(behaviour: Behaviour): StoredBehaviour {
  const { values, of, at } = behaviour;
  return {
    features: byName((name) => values[FEATURE_AT[name]] ?? null),
    of: byName((name) => of[FEATURE_AT[name]] || null),
    at: byName((name) => at[FEATURE_AT[name]] || null),
    executables: Object.fromEntries(behaviour.executables),
    prefixes: Object.fromEntries(behaviour.prefixes),
    bigrams: Object.fromEntries(behaviour.bigrams),
    fiveGrams: Object.fromEntries(behaviour.fiveGrams),
    calls: Object.fromEntries(behaviour.calls),
    callTrigrams: Object.fromEntries(behaviour.callTrigrams),
  };
}

function byName(of: (name: FeatureName) => number | null): Partial<Record<FeatureName, number>> {
  return Object.fromEntries(
    FEATURE_NAMES.flatMap((name) => {
      const value = of(name);
      return value === null || !Number.isFinite(value) ? [] : [[name, value]];
    }),
  );
}

function mapOf(words: Readonly<Record<string, number>>): Words {
  return new Map(Object.entries(words));
}
