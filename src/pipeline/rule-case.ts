import { ProctorError } from '../platform/base/errors.ts';
import type { Database, Queryable } from '../platform/db/database.ts';
import type { Sealer } from '../stages/evidence/seal-evidence.ts';
import { amendVerdict } from '../stages/review/amend-verdict.ts';
import { saveAudit } from '../stages/review/audit-store.ts';
import type { CaseRow, RulingRow } from '../stages/review/review.ts';
import { findCase, findCasesOf, lockCase, settleCase, whyTaken } from '../stages/review/review-store.ts';
import type { CaseRuling, Ruled } from '../stages/review/ruled.ts';
import { findRulingByKey, findRulings, saveRuling, standing } from '../stages/review/ruling-store.ts';
import { findFirstVerdict, findStandingVerdict } from '../stages/verdict/verdict-store.ts';
import { decideAgain, storeAmendment } from './amend-reward.ts';

/** What rulings are made with: nothing is graded. */
export interface ReviewParts {
  readonly database: Database;
  /** Signs the evidence of what is amended. */
  readonly sealer: Sealer;
  /** Milliseconds since 1970; by default the clock of this machine. */
  readonly now?: () => number;
}

/**
 * Rules on a case, all in one transaction: the ruling, the amended verdict with its evidence, the decision on it, the new reward and the
 * line in the audit log. `not-found`; `conflict` when the case is closed or another's; `forbidden` for a second opinion on one's own ruling.
 */
export async function ruleCase({ database, sealer }: ReviewParts, request: CaseRuling): Promise<Ruled> {
  const key = keyOf(request);
  return database.transaction(async (transaction) => {
    const found = await lockCase(transaction, request.caseId);
    const known = key === null ? null : await findRulingByKey(transaction, key);
    if (known !== null) return repeated(found, known, request);
    await refuse(transaction, found, request);
    const { caseId, reviewer, bulk = false, ruling: said, technique, note } = request;
    const ruling = await saveRuling(transaction, {
      ...{ caseId, reviewer, bulk, ruling: said, technique, note, undoes: null, idempotencyKey: key },
    });
    const before = await findStandingVerdict(transaction, found.verdictId);
    const body = amendVerdict(await findFirstVerdict(transaction, before.gradeId), before, ruling);
    const amended =
      body === null || said === 'unsure'
        ? null
        : await storeAmendment(transaction, sealer, {
            ...{ before, ruling, body, runId: found.runId },
            decision: await decideAgain(transaction, { before, ruling: said, amended: body }),
          });
    await settleCase(transaction, found, { ruling: said, isClosed: amended !== null });
    const detail = { ruling: said, technique, bulk, ruling_id: ruling.id, verdict: amended?.verdictId ?? null };
    await saveAudit(transaction, { who: reviewer, action: 'ruled', subject: caseId, detail });
    return { case: await findCase(transaction, caseId), ruling, amended };
  });
}

function keyOf({ idempotencyKey, reviewer, caseId }: CaseRuling): string | null {
  return idempotencyKey ? JSON.stringify([reviewer, caseId, idempotencyKey]) : null;
}

function repeated(found: CaseRow, known: RulingRow, { ruling, technique }: CaseRuling): Ruled {
  if (known.ruling === ruling && known.technique === technique) return { case: found, ruling: known, amended: null };
  throw new ProctorError('conflict', 'this idempotency key was used for another ruling on the case');
}

async function refuse(transaction: Queryable, found: CaseRow, { reviewer }: CaseRuling): Promise<void> {
  if (found.closedAt !== null) throw new ProctorError('conflict', whyTaken(found));
  if (found.claimedBy !== null && found.claimedBy !== reviewer) throw new ProctorError('conflict', whyTaken(found));
  const others = found.cause === 'appeal' ? await findCasesOf(transaction, found.artifactId) : [found];
  for (const { id } of others) {
    const own = standing(await findRulings(transaction, id)).some((ruling) => ruling.reviewer === reviewer);
    if (own)
      throw new ProctorError('forbidden', `${reviewer} has ruled on this already: another reviewer is asked now`);
  }
}
