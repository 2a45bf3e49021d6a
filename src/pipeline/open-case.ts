import type { Queryable } from '../platform/db/database.ts';
import { POLICY_ITSELF, saveAudit } from '../stages/review/audit-store.ts';
import { type Described, describeCase } from '../stages/review/describe-case.ts';
import { saveCase } from '../stages/review/review-store.ts';
import { findGate } from '../stages/task/admission-store.ts';

/**
 * Opens the case that a decision asks for, in the transaction that stores the reward: a reward whose review was asked for is never there
 * without it, and what was interrupted before is due again as a whole.
 */
export async function openCase(
  transaction: Queryable,
  { verdict, decision }: Pick<Described, 'verdict' | 'decision'>,
): Promise<void> {
  if (decision.body.review === undefined) return;
  const { task } = await findGate(transaction, verdict.artifactId);
  const opened = describeCase({ verdict, decision, task });
  if (opened === null) return;
  const { id, isNew } = await saveCase(transaction, opened);
  if (!isNew) return;
  const detail = { cause: opened.cause, verdict: verdict.id };
  await saveAudit(transaction, { who: POLICY_ITSELF, action: 'case-opened', subject: id, detail });
}
