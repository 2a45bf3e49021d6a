import { canonicalJson } from '../../platform/base/canonical-json.ts';
import { asStored } from '../../platform/db/database.ts';
import { evaluationFault } from './compile-condition.ts';
import { type SeenContext, seenContext } from './condition-types.ts';
import type { DecisionContext } from './context.ts';
import { decide } from './decide.ts';
import type { DecisionBody, FiredRule } from './policy.ts';
import type { CompiledRule, Policy } from './policy-file.ts';
import { whatWasSeen } from './what-was-seen.ts';

/** One rule of the policy, and what came of it. */
export interface ExplainedRule {
  readonly id: string;
  readonly about: string;
  readonly kind: CompiledRule['kind'];
  readonly when: string;
  readonly fired: 'yes' | 'no' | 'failed';
  /** The values of the fields that its condition names. */
  readonly because: NonNullable<FiredRule['because']>;
  /** Null where it did not fire. */
  readonly weight: number | null;
  readonly share: number | null;
  readonly error: string | null;
}

/** A decision, derived again from what is stored. */
export interface ExplainedDecision {
  readonly policy: string;
  readonly version: number;
  readonly decided: DecisionBody;
  /** Whether the stored context and policy give the stored decision again. */
  readonly same: boolean;
  /** Laws and values that decided beside the rules. */
  readonly above: readonly string[];
  readonly rules: readonly ExplainedRule[];
}

/** Every rule of a policy, whether it fires, and what it sees. Pure. */
export function explainDecision(context: DecisionContext, policy: Policy, stored: DecisionBody): ExplainedDecision {
  const seen = seenContext(context);
  const again = decide(context, policy);
  const names = new Set(policy.compiled.map(({ id }) => id));
  return {
    ...{ policy: policy.rules.id, version: policy.rules.version, decided: stored },
    same: canonicalJson(asStored(again)) === canonicalJson(stored),
    above: stored.rules.filter(({ id }) => !names.has(id)).map(({ id }) => id),
    rules: policy.compiled.map((rule) => explainRule(rule, seen, again)),
  };
}

function explainRule(rule: CompiledRule, seen: SeenContext, { rules }: DecisionBody): ExplainedRule {
  const { id, about, kind, when } = rule;
  const counted = rules.find((fired) => fired.id === id);
  const told = { id, about, kind, when: when.text, because: whatWasSeen(when.paths, seen) };
  const { fired, error } = outcomeOf(rule, seen);
  return { ...told, fired, error, weight: counted?.weight ?? null, share: counted?.share ?? null };
}

function outcomeOf({ when }: CompiledRule, seen: SeenContext): Pick<ExplainedRule, 'fired' | 'error'> {
  try {
    return { fired: when.of(seen) ? 'yes' : 'no', error: null };
  } catch (thrown) {
    return { fired: 'failed', error: evaluationFault(thrown) };
  }
}
