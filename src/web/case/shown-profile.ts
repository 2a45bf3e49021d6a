import type { Feature } from '../../stages/profile/features.ts';
import type { TestName } from '../../stages/profile/reference.ts';

/** One feature of a session beside those of honest ones, in its own unit. */
export interface ShownFeature {
  readonly name: string;
  readonly family: string;
  readonly test: TestName;
  readonly unit: Feature['unit'];
  readonly value: number;
  /** Median and the range that holds 98 % of the cohort; null: not known of the cohort. */
  readonly cohort: { readonly median: number; readonly low: number; readonly high: number } | null;
  /** The event at which it was first seen; 0: none in particular. */
  readonly seq: number;
  /** How odd it is, in decades: 3 is one in a thousand; null: not known. */
  readonly surprise: number | null;
}

/** The behaviour of a session, as pages show it. */
export interface ShownProfile {
  /** Whether all of every step was recorded; else what is missing is not nothing. */
  readonly isRecorded: boolean;
  readonly features: readonly ShownFeature[];
  /** Null: there is nothing to compare with. */
  readonly score: {
    readonly window: string;
    /** Honest sessions that it is compared with. */
    readonly sessions: number;
    readonly p: number | null;
    readonly testP: Readonly<Record<TestName, number | null>>;
    /** "0 of 4,096 honest runs were as extreme"; null: no test could be made. */
    readonly sentence: string | null;
    /** Features that the score rests on. */
    readonly reasons: readonly string[];
  } | null;
}
