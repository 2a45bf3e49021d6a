import type { VerdictBody } from '../verdict/verdict.ts';
import type { ACTIONS, DecisionBody, PolicyRules } from './policy.ts';

type Rule = PolicyRules['rules'][number];
type DecidedOn = Pick<VerdictBody, 'outcome' | 'integrity' | 'assurance' | 'fault'>;

/** From mildest to hardest; the hardest action of the rules that fired counts. */
const HARDNESS: Record<(typeof ACTIONS)[number], number> = { accept: 0, 'down-weight': 1, quarantine: 2, reject: 3 };

/**
 * What may become of a verdict. Pure. Two laws stand above every policy: what was not graded, and what is not known to
 * be honest, is quarantined and masked, never paid and never a zero.
 */
export function decide(verdict: DecidedOn, policy: PolicyRules): DecisionBody {
  if (verdict.outcome === 'ungraded') return quarantined('law:ungraded-is-masked');
  if (verdict.integrity === 'unknown') return quarantined('law:unknown-is-masked');
  const fired = policy.rules.filter((rule) => fires(rule, verdict));
  const action = fired
    .map((rule) => rule.decide.action)
    .reduce((hardest, next) => (HARDNESS[next] > HARDNESS[hardest] ? next : hardest), 'accept');
  const weight = Math.min(1, ...fired.map((rule) => rule.decide.weight));
  return {
    action,
    weight: action === 'quarantine' ? 0 : weight,
    mask: action === 'quarantine',
    flags: [...new Set(fired.flatMap((rule) => (rule.decide.flag === undefined ? [] : [rule.decide.flag])))],
    rules: fired.map((rule) => ({ id: rule.id, weight: rule.decide.weight })),
  };
}

function quarantined(law: string): DecisionBody {
  return { action: 'quarantine', weight: 0, mask: true, flags: [], rules: [{ id: law, weight: 0 }] };
}

function fires(rule: Rule, verdict: DecidedOn): boolean {
  return Object.entries(rule.when).every(([field, wanted]) => {
    const value = verdict[field as keyof DecidedOn];
    return Array.isArray(wanted) ? wanted.some((one) => one === value) : wanted === value;
  });
}
