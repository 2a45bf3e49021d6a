import type { DecisionBody } from '../policy/policy.ts';
import type { PolicyRules } from '../policy/policy-file.ts';
import type { VerdictBody } from '../verdict/verdict.ts';
import type { Ruling } from './review.ts';

type CheatGets = NonNullable<PolicyRules['values']['confirmed_cheat']>;

const BY_VALUE = {
  'as-earned': { action: 'accept', weight: 1, mask: false },
  zero: { action: 'reject', weight: 1, mask: false },
  'left-out': { action: 'quarantine', weight: 0, mask: true },
} as const satisfies Record<CheatGets, Pick<DecisionBody, 'action' | 'weight' | 'mask'>>;

/**
 * What becomes of a verdict that a ruling amended. Pure. What is not graded is masked, whoever says what; honest work is accepted as a
 * whole; a cheat gets what the policy says confirmed cheats get, and nothing where it says nothing.
 */
export function decideRuling(
  ruling: Exclude<Ruling, 'unsure'>,
  amended: Pick<VerdictBody, 'outcome'>,
  policy: Pick<PolicyRules, 'values'> | null,
): DecisionBody {
  if (amended.outcome === 'ungraded') {
    const law = { id: 'law:ungraded-is-masked', weight: 0 };
    return { action: 'quarantine', weight: 0, mask: true, flags: [], rules: [law] };
  }
  const decided = ruling === 'cheat' ? cheatGets(policy) : BY_VALUE['as-earned'];
  return {
    ...decided,
    flags: ruling === 'cheat' ? ['confirmed-cheat'] : [],
    rules: [{ id: `ruling:${ruling}`, weight: decided.weight }],
  };
}

/** A stored policy may be older than our words, and what it says then counts as nothing said. */
function cheatGets(policy: Pick<PolicyRules, 'values'> | null): (typeof BY_VALUE)[CheatGets] {
  const value = policy?.values.confirmed_cheat ?? 'zero';
  return BY_VALUE[Object.hasOwn(BY_VALUE, value) ? value : 'zero'];
}
