import { z } from 'zod';
import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { asStored, jsonParameter, type Queryable } from '../../platform/db/database.ts';
import type { PassCounts } from './contamination.ts';
import { type VerdictBody, type VerdictRow, verdictRowSchema } from './verdict.ts';

const COLUMNS = `v.id, v.artifact_id AS "artifactId", v.grade_id AS "gradeId", v.amends, v.ruling_id AS "rulingId",
  v.body, v.digest, v.created_at AS "createdAt"`;

/** SQL: no ruling has amended verdict `v`. */
export const STANDS = 'NOT EXISTS (SELECT 1 FROM verdicts amended WHERE amended.amends = v.id)';

/** Appends the verdict on a grade; the first one stays and is given back. */
export async function saveVerdict(
  database: Queryable,
  verdict: { artifactId: string; gradeId: string; body: VerdictBody },
): Promise<VerdictRow> {
  const body = asStored(verdict.body);
  const added = await database.query(
    `INSERT INTO verdicts AS v (id, artifact_id, grade_id, body, digest) VALUES ($1, $2, $3, $4::jsonb, $5)
     ON CONFLICT (grade_id) WHERE amends IS NULL DO NOTHING RETURNING ${COLUMNS}`,
    [newId('ver'), verdict.artifactId, verdict.gradeId, jsonParameter(body), digestOfJson(body)],
  );
  if (added.length > 0) return one(added, '');
  return findFirstVerdict(database, verdict.gradeId);
}

/** What was judged from a grade, whatever rulings made of it since. `not-found`, `digest-mismatch`. */
export async function findFirstVerdict(database: Queryable, gradeId: string): Promise<VerdictRow> {
  const sql = `SELECT ${COLUMNS} FROM verdicts v WHERE v.grade_id = $1 AND v.amends IS NULL`;
  return one(await database.query(sql, [gradeId]), `of ${gradeId}`);
}

/** What rulings have made of a verdict: the one that stands on the same grade. `not-found`, `digest-mismatch`. */
export async function findStandingVerdict(database: Queryable, id: string): Promise<VerdictRow> {
  const sql = `SELECT ${COLUMNS} FROM verdicts v
    WHERE v.grade_id = (SELECT grade_id FROM verdicts WHERE id = $1) AND ${STANDS}`;
  return one(await database.query(sql, [id]), id);
}

/** Appends what a ruling makes of a verdict. `conflict` when another ruling amended it first. */
export async function saveAmendedVerdict(
  transaction: Queryable,
  { before, rulingId, body: amended }: { before: VerdictRow; rulingId: string; body: VerdictBody },
): Promise<VerdictRow> {
  const body = asStored(amended);
  const rows = await transaction.query(
    `INSERT INTO verdicts AS v (id, artifact_id, grade_id, amends, ruling_id, body, digest)
     VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7) ON CONFLICT (amends) DO NOTHING RETURNING ${COLUMNS}`,
    [
      ...[newId('ver'), before.artifactId, before.gradeId, before.id, rulingId],
      ...[jsonParameter(body), digestOfJson(body)],
    ],
  );
  if (rows.length > 0) return one(rows, '');
  throw new ProctorError('conflict', `${before.id} was amended by another ruling meanwhile`);
}

/** The verdict that stands on the newest grade of a hand-in that has one, or null. */
export async function findLatestVerdict(database: Queryable, artifactId: string): Promise<VerdictRow | null> {
  const rows = await database.query(
    `SELECT ${COLUMNS} FROM verdicts v JOIN grades g ON g.id = v.grade_id
     WHERE v.artifact_id = $1 AND ${STANDS} ORDER BY g.round DESC LIMIT 1`,
    [artifactId],
  );
  return rows.length === 0 ? null : one(rows, artifactId);
}

/** A verdict by id; `not-found`, `digest-mismatch`. */
export async function findVerdict(database: Queryable, id: string): Promise<VerdictRow> {
  return one(await database.query(`SELECT ${COLUMNS} FROM verdicts v WHERE v.id = $1`, [id]), id);
}

const countsSchema = z.object({ canonical: z.boolean(), passed: z.coerce.number().int(), of: z.coerce.number().int() });

/** Graded hand-ins for a task, in all its versions, by whether they were for its published instance; the newest verdict of each counts. */
export async function countPasses(
  database: Queryable,
  { task, canonical }: { readonly task: string; readonly canonical: string },
): Promise<{ readonly canonical: PassCounts; readonly fresh: PassCounts }> {
  const rows = await database.query(
    `SELECT i.seed = $2 AS canonical, count(*) FILTER (WHERE v.outcome = 'passed' AND v.integrity <> 'violated') AS passed, count(*) AS of
     FROM instances i JOIN artifacts a ON a.instance_id = i.id
     JOIN LATERAL (
       SELECT v.body->>'outcome' AS outcome, v.body->>'integrity' AS integrity FROM verdicts v WHERE v.artifact_id = a.id AND ${STANDS} ORDER BY v.created_at DESC, v.id DESC LIMIT 1
     ) v ON v.outcome <> 'ungraded'
     WHERE i.task_digest IN (SELECT digest FROM tasks WHERE name = $1) GROUP BY 1`,
    [task, canonical],
  );
  const counts = rows.map((row) => countsSchema.parse(row));
  const of = (wanted: boolean): PassCounts => {
    const { passed = 0, of: all = 0 } = counts.find((each) => each.canonical === wanted) ?? {};
    return { passed, of: all };
  };
  return { canonical: of(true), fresh: of(false) };
}

function one(rows: readonly unknown[], id: string): VerdictRow {
  if (rows.length === 0) throw new ProctorError('not-found', `no verdict ${JSON.stringify(id)}`);
  const row = verdictRowSchema.parse(rows[0]);
  if (digestOfJson(row.body) === row.digest) return row;
  throw new ProctorError('digest-mismatch', `the stored verdict ${row.id} is not what was stored`, { id: row.id });
}
