import { messageOf } from '../../platform/base/errors.ts';
import { type Condition, compileCondition, compileWeight } from './compile-condition.ts';
import type { CompiledRule, Rule, VerdictCondition } from './policy-file.ts';

/** The rules of one file, each with its conditions compiled; faults are told by `tell` at their field. */
export function compileRules(
  rules: readonly Rule[],
  tell: (field: string, message: string) => void,
): readonly CompiledRule[] {
  return rules.flatMap((rule, index) => {
    const at = `rules.${index}`;
    const compile = <T>(field: string, make: () => T): T | null => {
      try {
        return make();
      } catch (thrown) {
        tell(`${at}.${field}`, messageOf(thrown));
        return null;
      }
    };
    const when = compile('when', () => compileCondition(conditionText(rule.when)));
    const weight = compile('decide.weight', () => weightOf(rule.decide.weight));
    const { action } = rule.decide;
    const kind = rule.kind ?? (action === 'reject' ? 'hard' : 'soft');
    const isFitting = kind === 'hard' ? HARD.includes(action) : action !== 'reject';
    if (!isFitting) tell(`${at}.kind`, `a ${kind} rule does not ${action}: ${FITTING[kind]}`);
    if (when === null || weight === null || !isFitting) return [];
    const isSafe = mayDecide(when, rule.decide);
    if (!isSafe) tell(`${at}.when`, RESTS_ON_JUDGE);
    return isSafe ? [{ ...rule, kind, when, weight }] : [];
  });
}

const RESTS_ON_JUDGE = 'rests on a judge alone, which may only flag and ask for a review: name something else too';

/** A language model is never alone decisive: its subject may have talked to it. */
function mayDecide({ paths }: Condition<boolean>, { action, weight }: Rule['decide']): boolean {
  return (action === 'accept' && weight === 1) || !paths.every((path) => path.startsWith('judge.'));
}

const HARD: readonly string[] = ['reject', 'quarantine'];
const FITTING = { hard: 'reject or quarantine', soft: 'accept, down-weight or quarantine' } as const;

const weightOf = (weight: string | number): number | Condition<number> =>
  typeof weight === 'number' ? weight : compileWeight(weight);

/** The short form as text of the expression language. */
function conditionText(when: string | VerdictCondition): string {
  if (typeof when === 'string') return when;
  const parts = Object.entries(when).map(([field, wanted]) =>
    Array.isArray(wanted)
      ? `verdict.${field} in ${JSON.stringify(wanted)}`
      : `verdict.${field} == ${JSON.stringify(wanted)}`,
  );
  return parts.join(' && ');
}
