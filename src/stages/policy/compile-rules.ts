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
    return when === null || weight === null || !isFitting ? [] : [{ ...rule, kind, when, weight }];
  });
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
