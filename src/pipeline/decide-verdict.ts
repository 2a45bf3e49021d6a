import { choosePolicy, DEFAULT_POLICY } from '../stages/policy/choose-policy.ts';
import type { DecisionContext } from '../stages/policy/context.ts';
import { decide } from '../stages/policy/decide.ts';
import { saveDecision, savePolicy } from '../stages/policy/decision-store.ts';
import type { DecisionRow } from '../stages/policy/policy.ts';
import { saveShadow } from '../stages/policy/shadow-store.ts';
import { type DecidedOn, decisionContext } from './decision-context.ts';
import { guardRun } from './guard-run.ts';
import type { PipelineParts } from './pipeline-parts.ts';

type DecideParts = Pick<PipelineParts, 'database' | 'policies' | 'log' | 'alarm' | 'shadowPolicy'>;

/**
 * Decides on a verdict by the policy of its task, stores the decision with what it rests on, lets the shadow policy decide beside it, and
 * looks after the run. The first decision on a verdict stays. `policy-invalid`.
 */
export async function decideVerdict(parts: DecideParts, decided: DecidedOn): Promise<DecisionRow> {
  const { database, policies } = parts;
  const { verdict, task } = decided;
  const context = await decisionContext(parts, decided);
  const policy = await choosePolicy(policies, task?.definition.proctor.policy ?? DEFAULT_POLICY, context);
  await savePolicy(database, policy);
  const body = decide(context, policy);
  const decision = await saveDecision(database, { verdictId: verdict.id, policyDigest: policy.digest, body, context });
  await decideShadow(parts, decision, context);
  await guardRun(parts, { context, policy, body: decision.body });
  return decision;
}

/** What goes wrong with a candidate is told and never keeps a hand-in from its reward. */
async function decideShadow(parts: DecideParts, decision: DecisionRow, context: DecisionContext): Promise<void> {
  const { shadowPolicy: name, database, policies, log } = parts;
  if (name === undefined || name === null) return;
  try {
    const policy = await policies.find(name);
    // where it does not apply it would not decide
    if ((await choosePolicy(policies, name, context)) !== policy) return;
    await savePolicy(database, policy);
    const body = decide(context, policy);
    await saveShadow(database, { decisionId: decision.id, policyDigest: policy.digest, body });
  } catch (thrown) {
    log.warn({ policy: name, decision: decision.id, err: thrown }, 'the shadow policy did not decide');
  }
}
