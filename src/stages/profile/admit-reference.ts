/** What is known of a session that might become part of an honest reference. */
export interface Candidate {
  /** Whether its policy was reviewed as honest as a whole. */
  readonly isOfReviewedPolicy: boolean;
  /** Whether chance alone drew it, before anybody had looked at it. */
  readonly isDrawnAtRandom: boolean;
  /** Modules that flagged it, profiles included. */
  readonly flaggedBy: readonly string[];
  /** Whether a second hidden check, other than the one that it was rewarded for, rewards it too; null: there was none. */
  readonly isRewardedTwice: boolean | null;
  /** What reviewers said of the cluster that holds it. */
  readonly cluster: 'reviewed-honest' | 'reviewed-cheat' | 'harness-bug' | 'unknown';
  /** Whether its record is whole: what nobody saw is not honest. */
  readonly isRecorded: boolean;
}

/** Why a session is not admitted. */
export type Refusal =
  | 'not-recorded'
  | 'reviewed-cheat'
  | 'not-drawn'
  | 'flagged'
  | 'not-rewarded-twice'
  | 'cluster-not-reviewed';

/**
 * Whether a session may stand for honest work: none when it may. Either its policy is reviewed, or it was drawn at random, no
 * module flagged it, a second hidden check rewards it, and its cluster is reviewed as honest. A baseline that the running cohort
 * teaches itself is not offered: with many cheaters it finds 1–4 % of them and accuses the honest (the design page).
 */
export function refusalsOf(candidate: Candidate): readonly Refusal[] {
  const { isOfReviewedPolicy, isDrawnAtRandom, flaggedBy, isRewardedTwice, cluster, isRecorded } = candidate;
  const always: readonly Refusal[] = [
    ...(isRecorded ? [] : (['not-recorded'] as const)),
    ...(cluster === 'reviewed-cheat' || cluster === 'harness-bug' ? (['reviewed-cheat'] as const) : []),
  ];
  if (isOfReviewedPolicy) return always;
  return [
    ...always,
    ...(isDrawnAtRandom ? [] : (['not-drawn'] as const)),
    ...(flaggedBy.length === 0 ? [] : (['flagged'] as const)),
    ...(isRewardedTwice === true ? [] : (['not-rewarded-twice'] as const)),
    ...(cluster === 'reviewed-honest' ? [] : (['cluster-not-reviewed'] as const)),
  ];
}
