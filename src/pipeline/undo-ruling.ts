import { ProctorError } from '../platform/base/errors.ts';
import type { Queryable } from '../platform/db/database.ts';
import { restoreVerdict } from '../stages/review/amend-verdict.ts';
import { saveAudit } from '../stages/review/audit-store.ts';
import { type CaseRow, type RulingRow, UNDO_MINUTES } from '../stages/review/review.ts';
import { findCase, findCasesOf, lockCase, settleCase } from '../stages/review/review-store.ts';
import type { Ruled, Undoing } from '../stages/review/ruled.ts';
import { findRulings, saveRuling, standing } from '../stages/review/ruling-store.ts';
import { findStandingVerdict, findVerdict } from '../stages/verdict/verdict-store.ts';
import { decisionOn, storeAmendment } from './amend-reward.ts';
import type { ReviewParts } from './rule-case.ts';

/**
 * Takes back the newest ruling on a case within the hour: the verdict, the decision and the reward are again what they were before, as
 * new rows, and the case is open again. `not-found`; `forbidden` for another's ruling; `conflict` when there is none or it is too late.
 */
export async function undoRuling(
  { database, sealer, now = Date.now }: ReviewParts,
  { caseId, reviewer, note = '' }: Undoing,
): Promise<Ruled> {
  return database.transaction(async (transaction) => {
    const found = await lockCase(transaction, caseId);
    const rulings = standing(await findRulings(transaction, caseId));
    const undone = rulings.at(-1);
    if (undone === undefined) throw new ProctorError('conflict', `nobody has ruled on ${caseId}`);
    refuse(undone, reviewer, now());
    await refuseAppealed(transaction, found);
    const stands = await findStandingVerdict(transaction, found.verdictId);
    if (undone.ruling !== 'unsure' && stands.rulingId !== undone.id) {
      throw new ProctorError('conflict', 'what was ruled has been amended since, by another case; appeal instead');
    }
    const { ruling: repeats, technique } = undone;
    const said = { caseId, ruling: repeats, technique, note, reviewer, bulk: false, undoes: undone.id };
    const ruling = await saveRuling(transaction, { ...said, idempotencyKey: null });
    const amended = undone.ruling === 'unsure' ? null : await restore(transaction, sealer, { found, stands, ruling });
    await settleCase(transaction, found, { ruling: rulings.at(-2)?.ruling ?? null, isClosed: false });
    const detail = { undoes: undone.id, ruling: repeats, ruling_id: ruling.id, verdict: amended?.verdictId ?? null };
    await saveAudit(transaction, { who: reviewer, action: 'undone', subject: caseId, detail });
    return { case: await findCase(transaction, caseId), ruling, amended };
  });
}

function refuse({ reviewer: own, at }: RulingRow, reviewer: string, nowMs: number): void {
  if (own !== reviewer) {
    throw new ProctorError('forbidden', `${own} ruled this and can take it back; others appeal`);
  }
  if (nowMs - at.getTime() > UNDO_MINUTES * 60_000) {
    throw new ProctorError('conflict', `a ruling can be taken back for ${UNDO_MINUTES} minutes; appeal instead`);
  }
}

/** What is appealed is another reviewer's to amend. */
async function refuseAppealed(transaction: Queryable, { id, artifactId }: CaseRow): Promise<void> {
  const open = (await findCasesOf(transaction, artifactId)).find((other) => other.id !== id && other.closedAt === null);
  if (open !== undefined) throw new ProctorError('conflict', `this was appealed meanwhile: ${open.id} is open`);
}

async function restore(
  transaction: Queryable,
  sealer: ReviewParts['sealer'],
  { found, stands, ruling }: { found: CaseRow; stands: Awaited<ReturnType<typeof findVerdict>>; ruling: RulingRow },
) {
  if (stands.amends === null) throw new ProctorError('defect', `${stands.id} amends nothing`);
  const earlier = await findVerdict(transaction, stands.amends);
  const { policyDigest, body: decided } = await decisionOn(transaction, earlier);
  const { review: _opensNoCaseAgain, ...decision } = decided;
  return storeAmendment(transaction, sealer, {
    ...{ before: stands, ruling, runId: found.runId },
    ...{ body: restoreVerdict(stands, earlier, ruling), decision: { policyDigest, body: decision } },
  });
}
