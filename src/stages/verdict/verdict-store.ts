import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { asStored, jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { type VerdictBody, type VerdictRow, verdictRowSchema } from './verdict.ts';

const COLUMNS = 'id, artifact_id AS "artifactId", grade_id AS "gradeId", body, digest, created_at AS "createdAt"';

/** Appends the verdict on a grade; the first one stays and is given back. */
export async function saveVerdict(
  database: Queryable,
  verdict: { artifactId: string; gradeId: string; body: VerdictBody },
): Promise<VerdictRow> {
  const body = asStored(verdict.body);
  const added = await database.query(
    `INSERT INTO verdicts (id, artifact_id, grade_id, body, digest) VALUES ($1, $2, $3, $4::jsonb, $5)
     ON CONFLICT (grade_id) DO NOTHING RETURNING ${COLUMNS}`,
    [newId('ver'), verdict.artifactId, verdict.gradeId, jsonParameter(body), digestOfJson(body)],
  );
  if (added.length > 0) return one(added, '');
  return one(await database.query(`SELECT ${COLUMNS} FROM verdicts WHERE grade_id = $1`, [verdict.gradeId]), '');
}

/** The verdict on the newest grade of a hand-in that has one, or null. */
export async function findLatestVerdict(database: Queryable, artifactId: string): Promise<VerdictRow | null> {
  const rows = await database.query(
    `SELECT v.id, v.artifact_id AS "artifactId", v.grade_id AS "gradeId", v.body, v.digest, v.created_at AS "createdAt"
     FROM verdicts v JOIN grades g ON g.id = v.grade_id WHERE v.artifact_id = $1 ORDER BY g.round DESC LIMIT 1`,
    [artifactId],
  );
  return rows.length === 0 ? null : one(rows, artifactId);
}

/** A verdict by id; `not-found`, `digest-mismatch`. */
export async function findVerdict(database: Queryable, id: string): Promise<VerdictRow> {
  return one(await database.query(`SELECT ${COLUMNS} FROM verdicts WHERE id = $1`, [id]), id);
}

function one(rows: readonly unknown[], id: string): VerdictRow {
  if (rows.length === 0) throw new ProctorError('not-found', `no verdict ${JSON.stringify(id)}`);
  const row = verdictRowSchema.parse(rows[0]);
  if (digestOfJson(row.body) === row.digest) return row;
  throw new ProctorError('digest-mismatch', `the stored verdict ${row.id} is not what was stored`, { id: row.id });
}
