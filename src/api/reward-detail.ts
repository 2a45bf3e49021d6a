import { ProctorError } from '../platform/base/errors.ts';
import type { Caller } from './keys.ts';
import type { RewardFacts } from './reward-item.ts';

/** How much of a verdict a trainer's key is told beside the reward. */
export const DETAILS = ['none', 'flags', 'full'] as const;
export type Detail = (typeof DETAILS)[number];

/** What a caller is told: the setting is for trainers; whoever hands in or reviews is told all. */
export function detailFor(caller: Caller | null, trainerDetail: Detail): Detail {
  return caller?.role === 'trainer' ? trainerDetail : 'full';
}

/**
 * The item without what its caller is not told: at `flags` the reasons, at `none` also the integrity, the flags, the counts of cases and
 * what was earned before policy. Its shape stays the same. What the caller itself did wrong is always told.
 */
export function withDetail(item: RewardFacts, detail: Detail): RewardFacts {
  if (detail === 'full' || item.fault === 'caller') return item;
  const brief = { ...item, failure_reason: '' };
  if (detail === 'flags') return brief;
  // how many cases passed, and that work passed which is not paid, would tell the score all the same
  const isPolicys = item.status === 'scored' && item.reward !== item.score;
  return {
    ...{ ...brief, integrity: 'unknown', assurance: '', flags: [], score: item.reward },
    metrics: { ...item.metrics, cases_passed: 0, cases_total: 0 },
    ...(isPolicys ? { outcome: 'failed', fault: 'subject' } : {}),
  };
}

/** Refuses verdicts and their records to who is not told all: `forbidden`. */
export function refuseBrief(caller: Caller | null, trainerDetail: Detail): void {
  if (detailFor(caller, trainerDetail) === 'full') return;
  throw new ProctorError('forbidden', 'trainer keys are not shown verdicts here (PROCTOR_TRAINER_DETAIL)');
}
