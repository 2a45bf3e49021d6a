import type { Database } from '../platform/db/database.ts';
import type { DecisionContext } from '../stages/policy/context.ts';
import { countRunShares, pauseActiveRun } from '../stages/policy/guard-store.ts';
import type { DecisionBody } from '../stages/policy/policy.ts';
import type { Policy } from '../stages/policy/policy-file.ts';
import { GUARDED, type Guarded, passedLimit, samplesOf } from '../stages/policy/watch-shares.ts';
import { POLICY_ITSELF, saveAudit } from '../stages/review/audit-store.ts';
import { queueRunEvent } from '../stages/reward/webhook-store.ts';
import type { PipelineParts } from './pipeline-parts.ts';

/**
 * After a decision that masks, rejects or flags: compares that share of the run's last hand-ins with the guard of the policy that decided,
 * and pauses the run or sounds the alarm. May be run again at any time: a run that is paused stays so, with its first reason.
 */
export async function guardRun(
  parts: Pick<PipelineParts, 'database' | 'log' | 'alarm'>,
  {
    context,
    policy,
    body,
  }: { readonly context: DecisionContext; readonly policy: Policy; readonly body: DecisionBody },
): Promise<void> {
  const { id: run } = context.run;
  if (run === '') return;
  const { guard } = policy.rules;
  for (const what of GUARDED.filter((each) => guard[each] !== undefined && isOf(each, body))) {
    const shares = await countRunShares(parts.database, run, samplesOf(guard, what));
    const passed = passedLimit(guard, what, shares);
    if (passed === null) continue;
    const reason = `${passed.reason} (guard of policy ${policy.rules.id})`;
    const paused = passed.do === 'pause' && (await pause(parts.database, run, { what, reason }));
    if (passed.do === 'pause' && !paused) continue; // was paused before, and told then
    parts.log[passed.isFirst ? 'warn' : 'debug'](
      { run, what, paused },
      `run ${paused ? 'paused' : 'alarm'}: ${reason}`,
    );
    parts.alarm?.({ run, what, paused, reason });
  }
}

/** Pauses a run, with a line in the audit log, and tells its webhooks; false when it is not active (any more). */
function pause(
  database: Database,
  run: string,
  { what, reason }: { readonly what: Guarded; readonly reason: string },
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const paused = await pauseActiveRun(transaction, run, reason);
    if (!paused) return false;
    await saveAudit(transaction, { who: POLICY_ITSELF, action: 'run-paused', subject: run, detail: { what, reason } });
    await queueRunEvent(transaction, { type: 'run.paused', run, data: { kind: what, reason } });
    return true;
  });
}

function isOf(what: Guarded, { mask, action, flags }: DecisionBody): boolean {
  return { masked: mask, rejected: action === 'reject', flagged: flags.length > 0 }[what];
}
