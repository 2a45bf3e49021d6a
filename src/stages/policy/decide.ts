import { type Condition, evaluationFault } from './compile-condition.ts';
import { type SeenContext, seenContext } from './condition-types.ts';
import type { DecisionContext } from './context.ts';
import { isDrawn } from './draw-share.ts';
import type { ACTIONS, DecisionBody, FiredRule } from './policy.ts';
import type { CompiledRule, Policy } from './policy-file.ts';
import { whatWasSeen } from './what-was-seen.ts';

/** From mildest to hardest; the hardest action of the rules that fired counts. */
const HARDNESS: Record<(typeof ACTIONS)[number], number> = { accept: 0, 'down-weight': 1, quarantine: 2, reject: 3 };

type Fired = { readonly rule: CompiledRule; readonly weight: number };

/**
 * What may become of a verdict. Pure: the same context and policy give the same decision. Laws stand above every policy: what was not
 * graded, and what is not known to be honest, is quarantined and masked, never paid and never a zero; and so is, for a person to look
 * at, what a rule could not be evaluated for.
 */
export function decide(context: DecisionContext, policy: Policy): DecisionBody {
  if (context.verdict.outcome === 'ungraded') return quarantined({ id: 'law:ungraded-is-masked', weight: 0 });
  if (context.verdict.integrity === 'unknown') return quarantined({ id: 'law:unknown-is-masked', weight: 0 });
  const seen = seenContext(context);
  const fired: Fired[] = [];
  for (const rule of policy.compiled) {
    try {
      if (rule.when.of(seen)) fired.push({ rule, weight: weightOf(rule, seen) });
    } catch (thrown) {
      return failed(rule, seen, thrown);
    }
  }
  return decided(fired, { context, policy, seen });
}

/** Whether work was not passed for no other reason than that it took too long. */
export function isTimeout({ verdict }: Pick<DecisionContext, 'verdict'>): boolean {
  const { outcome, cases_timed_out: late, cases_passed: passed, cases_total: total } = verdict;
  return outcome === 'failed' && late > 0 && passed + late === total;
}

interface Deciding {
  readonly context: DecisionContext;
  readonly policy: Policy;
  readonly seen: SeenContext;
}

function decided(fired: readonly Fired[], { context, policy, seen }: Deciding): DecisionBody {
  const { values } = policy.rules;
  const isLeftOut = values.timeout === 'left-out' && isTimeout(context);
  const actions = [...fired.map(({ rule }) => rule.decide.action), ...(isLeftOut ? (['quarantine'] as const) : [])];
  const action = actions.reduce((hardest, next) => (HARDNESS[next] > HARDNESS[hardest] ? next : hardest), 'accept');
  const value = action === 'reject' && values.confirmed_cheat !== 'zero' ? values.confirmed_cheat : null;
  const mask = action === 'quarantine' || value === 'left-out';
  const review = reviewOf(fired, { context, policy });
  return {
    ...{ action, mask, weight: mask ? 0 : Math.min(1, ...fired.map(({ weight }) => weight)) },
    flags: [...new Set(fired.flatMap(({ rule }) => (rule.decide.flag === undefined ? [] : [rule.decide.flag])))],
    rules: [...toldRules(fired, seen), ...(isLeftOut ? [{ id: 'value:timeout', weight: 0 }] : [])],
    ...(review !== null && { review }),
    ...(value !== null && { value }),
  };
}

/** Each rule with its part of what was taken away from the weight, by what each alone would have taken. */
function toldRules(fired: readonly Fired[], seen: SeenContext): FiredRule[] {
  const taken = fired.reduce((sum, { weight }) => sum + 1 - weight, 0);
  return fired.map(({ rule, weight }) => ({
    ...{ id: rule.id, weight, kind: rule.kind },
    share: taken === 0 ? 0 : (1 - weight) / taken,
    because: whatWasSeen(pathsOf(rule), seen),
  }));
}

function reviewOf(
  fired: readonly Fired[],
  { context, policy }: Pick<Deciding, 'context' | 'policy'>,
): DecisionBody['review'] | null {
  const { artifactId } = context;
  const { id, control_sample: control } = policy.rules;
  const reviews = fired.map(({ rule }) => ({ rule: rule.id, review: rule.decide.review ?? 'never' }));
  if (reviews.some(({ review }) => review === 'always')) return 'always';
  const isSampled = reviews.some(
    ({ rule, review }) => typeof review === 'object' && isDrawn(review.sample, { policy: id, rule, artifactId }),
  );
  if (isSampled) return 'sampled';
  const isClean = context.verdict.integrity === 'clean' && fired.length === 0;
  return isClean && isDrawn(control, { policy: id, rule: 'control', artifactId }) ? 'control' : null;
}

function weightOf({ weight }: CompiledRule, seen: SeenContext): number {
  return typeof weight === 'number' ? weight : weight.of(seen);
}

function pathsOf({ when, weight }: CompiledRule): readonly string[] {
  const named = (condition: Condition<unknown>) => condition.paths;
  return typeof weight === 'number' ? named(when) : [...new Set([...named(when), ...named(weight)])];
}

function failed(rule: CompiledRule, seen: SeenContext, thrown: unknown): DecisionBody {
  const error = `${rule.id}: ${evaluationFault(thrown)}`;
  const because = whatWasSeen(pathsOf(rule), seen);
  return { ...quarantined({ id: 'law:rule-failed', weight: 0, because, error }), review: 'always' };
}

function quarantined(law: FiredRule): DecisionBody {
  return { action: 'quarantine', weight: 0, mask: true, flags: [], rules: [law] };
}
