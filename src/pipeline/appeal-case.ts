import { ProctorError } from '../platform/base/errors.ts';
import type { Database } from '../platform/db/database.ts';
import { saveAudit } from '../stages/review/audit-store.ts';
import { describeAppeal } from '../stages/review/describe-case.ts';
import { type CaseRow, MAX_APPEALS } from '../stages/review/review.ts';
import { findCase, findCasesOf, lockHandIn, saveCase } from '../stages/review/review-store.ts';
import type { Appeal } from '../stages/review/ruled.ts';
import { findGate } from '../stages/task/admission-store.ts';
import { findStandingVerdict, findVerdict } from '../stages/verdict/verdict-store.ts';
import { decisionOn } from './amend-reward.ts';

/**
 * Opens a case for somebody who objects to a verdict, whether there was a case before or not; it is about the verdict that stands by now.
 * Where a case of the hand-in is open, that one serves, and the audit log has the words. `not-found`; `conflict` before anything is
 * decided, and after too many appeals of one hand-in.
 */
export async function appealCase({ database }: { readonly database: Database }, appeal: Appeal): Promise<CaseRow> {
  const { verdictId, why, who } = appeal;
  return database.transaction(async (transaction) => {
    await lockHandIn(transaction, (await findVerdict(transaction, verdictId)).artifactId);
    const verdict = await findStandingVerdict(transaction, verdictId);
    const decision = await decisionOn(transaction, verdict);
    const cases = await findCasesOf(transaction, verdict.artifactId);
    const open = cases.find(({ closedAt }) => closedAt === null);
    if (open === undefined && cases.filter(({ cause }) => cause === 'appeal').length >= MAX_APPEALS) {
      throw new ProctorError('conflict', `${verdict.artifactId} was appealed ${MAX_APPEALS} times; that is all`);
    }
    const { task } = await findGate(transaction, verdict.artifactId);
    const id = open?.id ?? (await saveCase(transaction, describeAppeal({ verdict, decision, task }, { who, why }))).id;
    const detail = { why, verdict: verdict.id };
    await saveAudit(transaction, { who, action: 'appealed', subject: id, detail });
    return findCase(transaction, id);
  });
}
