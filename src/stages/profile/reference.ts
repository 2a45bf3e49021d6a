import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import { FEATURES } from './features.ts';
import { type Column, openColumn } from './tail.ts';
import { type OpenVocabulary, openVocabulary, vocabularySchema } from './vocabulary.ts';

/** Of the way in which references are made and sessions scored: a profile names it, so that it can be made again. */
export const SCORE_VERSION = 'proctor/profile-score/1';

/** The four tests: access, rarity and sequence, shape, shape within the group. */
export const TESTS = ['A', 'R', 'S', 'G'] as const;
/** One of them. */
export type TestName = (typeof TESTS)[number];

const rising = z.array(z.number()).readonly();
const byTest = <T extends z.ZodType>(shape: T) => z.object({ A: shape, R: shape, S: shape, G: shape }).readonly();

/** What scores are computed from: nothing in it comes from the sessions that it will be calibrated on. */
export const fittedSchema = z.object({
  version: z.literal(SCORE_VERSION),
  cohort: z.string(),
  /** The window of the policy in which its sessions were made. */
  window: z.string(),
  sessions: z.int(),
  vocabulary: vocabularySchema,
  /** One for each feature, in their order; empty: not known in this cohort. */
  columns: z.array(rising).length(FEATURES.length).readonly(),
  /** The same, less the group's centre; empty for what is no shape, and where there were no groups. */
  groupColumns: z.array(rising).length(FEATURES.length).readonly(),
  /** Scores of its own sessions, each against the others. */
  tests: byTest(rising),
});

/** See {@link fittedSchema}. */
export type Fitted = Readonly<z.infer<typeof fittedSchema>>;

export const referenceSchema = z.object({
  fitted: fittedSchema,
  fittedDigest: digestSchema,
  /** Scores of honest sessions that had no part in it, rising; `all` is that of the four tests together. */
  calibration: z.object({ sessions: z.int(), all: rising, tests: byTest(rising) }).readonly(),
  calibrationDigest: digestSchema,
});

/** An immutable record of how honest sessions of one cohort behave, and of how they score against each other. Plain JSON. */
export type Reference = Readonly<z.infer<typeof referenceSchema>>;

/** What was fitted, ready to score sessions. */
export interface OpenFitted {
  readonly sessions: number;
  readonly vocabulary: OpenVocabulary;
  readonly columns: readonly (Column | null)[];
  readonly groupColumns: readonly (Column | null)[];
  readonly tests: Readonly<Record<TestName, Column | null>>;
}

/** A reference, ready to score sessions and say how sure that is. */
export interface OpenReference extends OpenFitted {
  readonly calibration: {
    readonly sessions: number;
    readonly all: Float64Array;
    readonly tests: Readonly<Record<TestName, Float64Array>>;
  };
  readonly fittedDigest: Reference['fittedDigest'];
  readonly calibrationDigest: Reference['calibrationDigest'];
}

export function openFitted({ sessions, vocabulary, columns, groupColumns, tests }: Fitted): OpenFitted {
  return {
    sessions,
    vocabulary: openVocabulary(vocabulary),
    columns: columns.map(openRising),
    groupColumns: groupColumns.map(openRising),
    tests: perTest((test) => openRising(tests[test])),
  };
}

export function openReference({ fitted, calibration, ...digests }: Reference): OpenReference {
  const { sessions, all, tests } = calibration;
  return {
    ...openFitted(fitted),
    ...digests,
    calibration: { sessions, all: Float64Array.from(all), tests: perTest((test) => Float64Array.from(tests[test])) },
  };
}

/** Something for each of the four tests. */
export function perTest<T>(make: (test: TestName) => T): Record<TestName, T> {
  return { A: make('A'), R: make('R'), S: make('S'), G: make('G') };
}

function openRising(values: readonly number[]): Column | null {
  return values.length === 0 ? null : openColumn(Float64Array.from(values));
}
