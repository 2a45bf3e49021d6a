import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { plainText } from '../../platform/base/plain-text.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { groupFactor, priorityOf } from './priority.ts';
import { type CaseRow, CLAIM_MINUTES, caseRowSchema, type NewCase, type Ruling } from './review.ts';

const MAX_WHY_LENGTH = 1_000;

/** SQL: a claim on case `c` that has not run out. */
export const IS_CLAIMED = 'c.claimed_until > now()';

/** SQL: what a {@link CaseRow} is made of, from `review_cases c` and `review_groups g`. */
export const CASE_COLUMNS = `c.id, c.artifact_id AS "artifactId", c.verdict_id AS "verdictId", c.decision_id AS "decisionId",
  c.run_id AS "runId", c.task, c.cause, c.why, c.severity, c.uncertainty, c.group_key AS "group", c.opened_at AS "openedAt",
  c.ruling, c.closed_at AS "closedAt", CASE WHEN ${IS_CLAIMED} THEN c.claimed_by END AS "claimedBy",
  CASE WHEN ${IS_CLAIMED} THEN c.claimed_until END AS "claimedUntil", g.waiting, c.priority`;
export const CASES = 'review_cases c JOIN review_groups g ON g.key = c.group_key';

/**
 * Opens a case, in the transaction that stores what it is about; the first case of a verdict stays. Gives its id, and whether it is new.
 * The group is locked until that transaction ends.
 */
export async function saveCase(
  transaction: Queryable,
  opened: NewCase,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const waiting = await lockGroup(transaction, opened.group);
  const [added] = await transaction.query(
    `INSERT INTO review_cases
       (id, artifact_id, verdict_id, decision_id, run_id, task, cause, why, severity, uncertainty, group_key, priority)
     SELECT $1, a.id, $3, $4, a.run_id, $5, $6, $7, $8, $9, $10, $11 FROM artifacts a WHERE a.id = $2
     ON CONFLICT (verdict_id) DO NOTHING RETURNING id`,
    [
      ...[newId('case'), opened.artifactId, opened.verdictId, opened.decisionId, opened.task, opened.cause],
      ...[plainText(opened.why, MAX_WHY_LENGTH), opened.severity, opened.uncertainty, opened.group],
      priorityOf(opened, waiting + 1),
    ],
  );
  if (added !== undefined) {
    await setWaiting(transaction, { group: opened.group, before: waiting, waiting: waiting + 1 });
    return { id: String(added.id), isNew: true };
  }
  const [known] = await transaction.query('SELECT id FROM review_cases WHERE verdict_id = $1', [opened.verdictId]);
  if (known === undefined) throw new ProctorError('not-found', `no submission ${JSON.stringify(opened.artifactId)}`);
  return { id: String(known.id), isNew: false };
}

/** A case by id. `not-found`. */
export async function findCase(database: Queryable, id: string): Promise<CaseRow> {
  const [row] = await database.query(`SELECT ${CASE_COLUMNS} FROM ${CASES} WHERE c.id = $1`, [id]);
  if (row === undefined) throw new ProctorError('not-found', `no case ${JSON.stringify(id)}`);
  return caseRowSchema.parse(row);
}

/** All cases of a hand-in, the oldest first: at most the one that its decision opened, and its appeals. */
export async function findCasesOf(database: Queryable, artifactId: string): Promise<readonly CaseRow[]> {
  const rows = await database.query(
    `SELECT ${CASE_COLUMNS} FROM ${CASES} WHERE c.artifact_id = $1 ORDER BY c.opened_at, c.id LIMIT 100`,
    [artifactId],
  );
  return rows.map((row) => caseRowSchema.parse(row));
}

/** Holds a hand-in until the transaction ends: one ruling or appeal on it at a time. Always before any group. */
export async function lockHandIn(transaction: Queryable, artifactId: string): Promise<void> {
  await transaction.query("SELECT pg_advisory_xact_lock(hashtextextended('review ' || $1, 0))", [artifactId]);
}

/** Locks a case for a ruling until the transaction ends: its hand-in, its group, the case. `not-found`. */
export async function lockCase(transaction: Queryable, id: string): Promise<CaseRow> {
  const { artifactId, group } = await findCase(transaction, id);
  await lockHandIn(transaction, artifactId);
  await lockGroup(transaction, group);
  await transaction.query('SELECT 1 FROM review_cases WHERE id = $1 FOR UPDATE', [id]);
  return findCase(transaction, id);
}

/** Says how a locked case stands after a ruling or after one was taken back; who worked on it lets it go. */
export async function settleCase(
  transaction: Queryable,
  { id, group, closedAt }: CaseRow,
  settled: { readonly ruling: Ruling | null; readonly isClosed: boolean },
): Promise<void> {
  const { ruling, isClosed } = settled;
  const before = await lockGroup(transaction, group);
  await transaction.query(
    `UPDATE review_cases SET ruling = $2, closed_at = CASE WHEN $3::boolean THEN coalesce(closed_at, now()) END,
            claimed_by = NULL, claimed_until = NULL WHERE id = $1`,
    [id, ruling, isClosed],
  );
  const step = Number(!isClosed) - Number(closedAt === null);
  if (step !== 0) await setWaiting(transaction, { group, before, waiting: before + step });
  if (step > 0) {
    await transaction.query('UPDATE review_cases SET priority = severity * uncertainty * $2 WHERE id = $1', [
      ...[id, groupFactor(before + step)],
    ]);
  }
}

/**
 * Takes a case for a while, or keeps it, with a line in the audit log; gives it as it then stands. `not-found`; `conflict` when it is closed or another's.
 */
export async function claimCase(database: Queryable, id: string, who: string): Promise<CaseRow> {
  const taken = await database.query(
    `WITH taken AS (
       UPDATE review_cases c SET claimed_by = $2, claimed_until = now() + make_interval(mins => ${CLAIM_MINUTES})
       WHERE c.id = $1 AND c.closed_at IS NULL AND (c.claimed_by = $2 OR (${IS_CLAIMED}) IS NOT TRUE) RETURNING c.id
     ) ${noted('taken', 'claimed')}`,
    [id, who],
  );
  const found = await findCase(database, id);
  if (taken.length > 0) return found;
  throw new ProctorError('conflict', whyTaken(found), { claimedBy: found.claimedBy });
}

/** Keeps a case that is this reviewer's already, since somebody works on it; does nothing otherwise. */
export async function renewClaim(database: Queryable, id: string, who: string): Promise<void> {
  await database.query(
    `UPDATE review_cases c SET claimed_until = now() + make_interval(mins => ${CLAIM_MINUTES})
     WHERE c.id = $1 AND c.closed_at IS NULL AND c.claimed_by = $2 AND ${IS_CLAIMED}`,
    [id, who],
  );
}

/** Lets a case go, with a line in the audit log; gives whether it was this reviewer's. */
export async function releaseCase(database: Queryable, id: string, who: string): Promise<boolean> {
  const rows = await database.query(
    `WITH released AS (
       UPDATE review_cases c SET claimed_by = NULL, claimed_until = NULL
       WHERE c.id = $1 AND c.claimed_by = $2 AND ${IS_CLAIMED} RETURNING c.id
     ) ${noted('released', 'released')}`,
    [id, who],
  );
  return rows.length > 0;
}

/** What is said to who comes second. */
export function whyTaken({ id, closedAt, claimedBy }: Pick<CaseRow, 'id' | 'closedAt' | 'claimedBy'>): string {
  if (closedAt !== null) return `${id} is closed; what was ruled can be undone by who ruled it, or appealed`;
  return `${id} is being looked at by ${claimedBy ?? 'somebody else'}`;
}

const countsSchema = z.object({ open: z.number(), secondOpinion: z.number(), claimed: z.number() });

/** How many cases are open, how many of them ask for a second opinion, and how many somebody looks at now. */
export async function countQueue(database: Queryable): Promise<Readonly<z.infer<typeof countsSchema>>> {
  const [row] = await database.query(
    `SELECT count(*)::int AS open, count(*) FILTER (WHERE c.ruling = 'unsure')::int AS "secondOpinion",
            count(*) FILTER (WHERE ${IS_CLAIMED})::int AS claimed
     FROM review_cases c WHERE c.closed_at IS NULL`,
  );
  return countsSchema.parse(row);
}

/** SQL: the line in the audit log for each case of `source`, by reviewer `$2`: in one statement with what it tells of, so that neither is alone. */
function noted(source: string, action: 'claimed' | 'released'): string {
  return `INSERT INTO audit_log (who, action, subject, detail) SELECT $2, '${action}', id, '{}'::jsonb FROM ${source} RETURNING subject`;
}

/** Makes a group where it is new, locks it, and gives how many of its cases are open. */
async function lockGroup(transaction: Queryable, group: string): Promise<number> {
  await transaction.query('INSERT INTO review_groups (key) VALUES ($1) ON CONFLICT (key) DO NOTHING', [group]);
  const [row] = await transaction.query('SELECT waiting FROM review_groups WHERE key = $1 FOR UPDATE', [group]);
  return Number(row?.waiting ?? 0);
}

/** Keeps the count of a locked group, and the priority of its cases where that changes: at powers of two up to 64. */
async function setWaiting(
  transaction: Queryable,
  { group, before, waiting }: { readonly group: string; readonly before: number; readonly waiting: number },
): Promise<void> {
  await transaction.query('UPDATE review_groups SET waiting = $2 WHERE key = $1', [group, waiting]);
  if (groupFactor(before) === groupFactor(waiting)) return;
  await transaction.query(
    'UPDATE review_cases SET priority = severity * uncertainty * $2 WHERE group_key = $1 AND closed_at IS NULL',
    [group, groupFactor(waiting)],
  );
}

/** Which of these verdicts a person has ruled honest last. */
export async function listRuledHonest(database: Queryable, verdictIds: readonly string[]): Promise<readonly string[]> {
  const rows = await database.query(
    `SELECT verdict_id AS id FROM review_cases
     WHERE verdict_id = ANY($1::text[]) AND closed_at IS NOT NULL AND ruling = 'honest'`,
    [[...verdictIds]],
  );
  return rows.map(({ id }) => String(id));
}
