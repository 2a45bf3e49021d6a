import type { Feature } from '../../stages/profile/features.ts';
import type { ProfileBody } from '../../stages/profile/profile.ts';
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
  /** When it was stored; null: none is stored, and it was made out for this page. */
  readonly storedAt: Date | null;
  /** Why the reference that it was compared with is not shown; null: nothing is wrong. */
  readonly problem: string | null;
  /** Null: there is nothing to compare with. */
  readonly score: {
    readonly window: string;
    /** Honest sessions that it is compared with. */
    readonly sessions: number;
    readonly p: number | null;
    readonly testP: Readonly<Record<TestName, number | null>>;
    /** "0 of 4,096 honest runs were as extreme"; null: no test could be made. */
    readonly sentence: string | null;
    /** What behaviour alone proposes, 0 to 1; a policy decides. */
    readonly weight: number;
    /** Whether it asks for a person, and the rule of the cohort that said so. */
    readonly review: boolean;
    readonly reason: ProfileBody['reason'];
    /** Features that the score rests on, the first one first; of test G on the transformed scale, less the centre of the group. */
    readonly reasons: readonly {
      readonly test: TestName;
      readonly feature: string;
      readonly unit: string;
      readonly value: number;
      readonly median: number;
      readonly range: readonly [low: number, high: number];
      readonly seq: number;
    }[];
  } | null;
}
