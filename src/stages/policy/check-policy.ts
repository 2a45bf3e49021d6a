import { createWitnessSearch } from './find-witness.ts';
import type { CompiledRule, Policy } from './policy-file.ts';
import { runCases } from './run-cases.ts';

/** Rules times cases: what can be tried while a policy loads. */
const MOST_TRIALS = 5_000_000;
/** Faults that are told of one kind. */
const MOST_FAULTS = 50;

/**
 * What is wrong with a policy although each of its fields is sound: two rules of one name, rules that say the same or contradict each
 * other, cases that fail, rules that cannot fire. `own`: the rules that stand in its last file; those of a base are checked with it.
 */
export function checkPolicy(policy: Policy, own: readonly CompiledRule[]): readonly string[] {
  const faults = [...namesTwice(own), ...sameConditions(policy.compiled)];
  if (faults.length > 0) return faults.slice(0, MOST_FAULTS);
  const { compiled, rules } = policy;
  if (compiled.length * rules.cases.length > MOST_TRIALS)
    return [`cases: ${compiled.length} rules with ${rules.cases.length} cases are more than ${MOST_TRIALS} trials`];
  const results = runCases(policy);
  const failed = results.flatMap(({ fault }) => (fault === null ? [] : [fault]));
  if (failed.length > 0) return failed.slice(0, MOST_FAULTS);
  const reached = new Set(results.flatMap(({ decided }) => decided.rules.map(({ id }) => id)));
  return unreachable(own, reached).slice(0, MOST_FAULTS);
}

function namesTwice(rules: readonly CompiledRule[]): string[] {
  const seen = new Set<string>();
  return rules.flatMap(({ id }) => {
    if (seen.has(id)) return [`rules: two rules are called "${id}"`];
    seen.add(id);
    return [];
  });
}

/** Rules with one condition: another action contradicts, the same one says it again (a flag of its own is something new). */
function sameConditions(rules: readonly CompiledRule[]): string[] {
  const byKey = new Map<string, CompiledRule[]>();
  const faults: string[] = [];
  for (const rule of rules) {
    const alike = byKey.get(rule.when.key) ?? [];
    byKey.set(rule.when.key, [...alike, rule]);
    const [first] = alike;
    if (first === undefined) continue;
    const same = alike.find(({ decide }) => decide.action === rule.decide.action && decide.flag === rule.decide.flag);
    if (first.decide.action !== rule.decide.action) {
      const [one, other] = [first, rule].map(({ id, decide }) => `"${id}" (${decide.action})`);
      faults.push(`rules: ${one} and ${other} contradict: one condition, two actions`);
    } else if (same !== undefined)
      faults.push(`rules: "${rule.id}" is shadowed: "${same.id}" has its condition and action`);
  }
  return faults;
}

function unreachable(own: readonly CompiledRule[], reached: ReadonlySet<string>): string[] {
  const search = createWitnessSearch();
  return own.flatMap((rule) => {
    if (reached.has(rule.id)) return [];
    const found = search(rule.when);
    if (found === 'fires') return [];
    const why = found === 'never' ? 'and it was tried in vain to make it fire' : 'and there are too many to try them';
    return [`rules: "${rule.id}" cannot be reached: no case makes it fire, ${why}; write a case in which it does`];
  });
}
