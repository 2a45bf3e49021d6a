import type { DecisionContext } from './context.ts';
import type { Policies } from './load-policy.ts';
import { matchesGlob } from './match-glob.ts';
import type { Policy } from './policy-file.ts';

/** The policy that decides where none other applies. */
export const DEFAULT_POLICY = 'default';

/**
 * The policy that a task names or, where that one does not apply, the one it extends, and `default` in the end, which decides whatever it
 * says of where it applies. `policy-invalid`.
 */
export async function choosePolicy(policies: Policies, name: string, context: DecisionContext): Promise<Policy> {
  const tried = new Set<string>();
  let next = name;
  while (!tried.has(next)) {
    const policy = await policies.find(next);
    if (applies(policy, context)) return policy;
    tried.add(next);
    next = policy.rules.extends ?? DEFAULT_POLICY;
  }
  return policies.find(DEFAULT_POLICY);
}

/** Whether a policy is for what is decided on: all that it names must hold, any of a list. */
function applies({ rules }: Policy, { task, run }: DecisionContext): boolean {
  const { tags, runs, phase } = rules.applies_to ?? {};
  if (tags !== undefined && !tags.some((tag) => task.tags.includes(tag))) return false;
  if (runs !== undefined && !runs.some((pattern) => matchesGlob(pattern, run.id))) return false;
  return phase === undefined || phase === run.phase;
}
