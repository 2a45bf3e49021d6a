import { z } from 'zod';
import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { plainText } from '../../platform/base/plain-text.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { MAX_NOTE_LENGTH, type RulingRow, rulingRowSchema } from './review.ts';

const COLUMNS = 'id, case_id AS "caseId", ruling, technique, note, reviewer, bulk, undoes, at, digest';

/** A ruling that is to be stored; the key makes the same one asked twice one row. */
export type NewRuling = Omit<RulingRow, 'id' | 'at' | 'digest'> & { readonly idempotencyKey: string | null };

/** Appends a ruling. `conflict` when its idempotency key was used for another, or what it takes back was taken back before. */
export async function saveRuling(transaction: Queryable, ruling: NewRuling): Promise<RulingRow> {
  const { idempotencyKey, ...given } = ruling;
  const body = { ...given, id: newId('rul'), note: plainText(given.note, MAX_NOTE_LENGTH), at: new Date() };
  const rows = await transaction.query(
    `INSERT INTO review_rulings
       (id, case_id, ruling, technique, note, reviewer, bulk, undoes, idempotency_key, at, digest)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
    [
      ...[body.id, body.caseId, body.ruling, body.technique, body.note, body.reviewer, body.bulk, body.undoes],
      ...[idempotencyKey, body.at, rulingDigest(body)],
    ],
  );
  if (rows.length > 0) return checked(rows[0]);
  throw new ProctorError('conflict', 'this was ruled already, or taken back already');
}

/** The ruling that was stored under an idempotency key, or null. */
export async function findRulingByKey(database: Queryable, key: string): Promise<RulingRow | null> {
  const [row] = await database.query(`SELECT ${COLUMNS} FROM review_rulings WHERE idempotency_key = $1`, [key]);
  return row === undefined ? null : checked(row);
}

/** All rulings on a case, the oldest first, those that take others back among them. `digest-mismatch`. */
export async function findRulings(database: Queryable, caseId: string): Promise<readonly RulingRow[]> {
  const rows = await database.query(
    `SELECT ${COLUMNS} FROM review_rulings WHERE case_id = $1 ORDER BY at, id LIMIT 1000`,
    [caseId],
  );
  return rows.map(checked);
}

/** The rulings of a case that nobody has taken back, the oldest first. Pure. */
export function standing(rulings: readonly RulingRow[]): readonly RulingRow[] {
  const undone = new Set(rulings.map(({ undoes }) => undoes));
  return rulings.filter(({ id, undoes }) => undoes === null && !undone.has(id));
}

const labelSchema = z.object({
  caseId: z.string(),
  artifactId: z.string(),
  verdictId: z.string(),
  sessionId: z.string().nullable(),
  task: z.string(),
  ruling: z.enum(['cheat', 'honest']),
  closedAt: z.date(),
});
/** A hand-in that a person has looked at: an example to learn from. `verdictId` is the verdict that was looked at. */
export type Label = Readonly<z.infer<typeof labelSchema>>;

/** What people ruled last on hand-ins, of one task or of all, the newest first, at most `limit`; only cheats and honest work. */
export async function listLabels(
  database: Queryable,
  { task, limit }: { readonly task?: string | undefined; readonly limit: number },
): Promise<readonly Label[]> {
  const parameters = task === undefined ? [limit] : [limit, task];
  const rows = await database.query(
    `SELECT c.id AS "caseId", c.artifact_id AS "artifactId", c.verdict_id AS "verdictId", c.task, c.ruling,
            c.closed_at AS "closedAt",
            (SELECT e.session_id FROM session_ends e WHERE e.artifact_id = c.artifact_id LIMIT 1) AS "sessionId"
     FROM review_cases c
     WHERE c.closed_at IS NOT NULL AND c.ruling IN ('cheat', 'honest') ${task === undefined ? '' : 'AND c.task = $2'}
       AND NOT EXISTS (
         SELECT 1 FROM review_cases later WHERE later.artifact_id = c.artifact_id AND later.closed_at IS NOT NULL
           AND (later.closed_at, later.id) > (c.closed_at, c.id))
     ORDER BY c.closed_at DESC, c.id LIMIT $1`,
    parameters,
  );
  return rows.map((row) => labelSchema.parse(row));
}

function rulingDigest({ digest: _own, ...body }: Omit<RulingRow, 'digest'> & { digest?: string }): string {
  return digestOfJson({ ...body, at: body.at.toISOString() });
}

function checked(raw: unknown): RulingRow {
  const row = rulingRowSchema.parse(raw);
  if (rulingDigest(row) === row.digest) return row;
  throw new ProctorError('digest-mismatch', `the stored ruling ${row.id} is not what was stored`, { id: row.id });
}
