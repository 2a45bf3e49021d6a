import type { DecisionBody } from '../policy/policy.ts';
import type { VerdictBody } from '../verdict/verdict.ts';
import type { RewardBody } from './reward.ts';

/** Turns a verdict and the decision on it into what a trainer gets. Pure; a fault that is not the subject's is never a zero to learn from. */
export function issueReward(verdict: VerdictBody, decision: DecisionBody): RewardBody {
  const { outcome, integrity, assurance, fault } = verdict;
  const base = { action: decision.action, flags: decision.flags, verdict: { outcome, integrity, assurance, fault } };
  if (decision.mask) {
    const ungraded = outcome === 'ungraded';
    return {
      ...base,
      status: ungraded ? 'unscored' : 'quarantined',
      reward: 0,
      score: 0,
      trainWeight: 0,
      maskSample: true,
      failureKind: ungraded ? `proctor:${fault}-fault` : 'proctor:quarantined',
      failureReason: ungraded ? (verdict.reason ?? 'not graded') : decision.rules.map(({ id }) => id).join(', '),
    };
  }
  return {
    ...base,
    status: 'scored',
    reward: decision.action === 'reject' && decision.value !== 'as-earned' ? 0 : verdict.score,
    score: verdict.score,
    trainWeight: decision.weight,
    maskSample: false,
    failureKind: '',
    failureReason: '',
  };
}
