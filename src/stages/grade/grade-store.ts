import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { asStored, jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { type GradeBody, type GradeRow, gradeDigest, gradeRowSchema } from './grade.ts';

const COLUMNS = 'id, artifact_id AS "artifactId", round, body, digest, created_at AS "createdAt"';

/** Appends a grade for one round (1 is the first, a regrade is the next). The first grade of a round stays; it is given back. */
export async function saveGrade(
  database: Queryable,
  grade: { artifactId: string; round: number; body: GradeBody },
): Promise<GradeRow> {
  const body = asStored(grade.body);
  const [added] = await database.query(
    `INSERT INTO grades (id, artifact_id, round, body, digest) VALUES ($1, $2, $3, $4::jsonb, $5)
     ON CONFLICT (artifact_id, round) DO NOTHING RETURNING ${COLUMNS}`,
    [newId('grade'), grade.artifactId, grade.round, jsonParameter(body), gradeDigest(body)],
  );
  if (added !== undefined) return gradeRowSchema.parse(added);
  const [row] = await database.query(`SELECT ${COLUMNS} FROM grades WHERE artifact_id = $1 AND round = $2`, [
    grade.artifactId,
    grade.round,
  ]);
  return gradeRowSchema.parse(row);
}

/** The newest grade of a hand-in, or null. */
export async function findLatestGrade(database: Queryable, artifactId: string): Promise<GradeRow | null> {
  const [row] = await database.query(
    `SELECT ${COLUMNS} FROM grades WHERE artifact_id = $1 ORDER BY round DESC LIMIT 1`,
    [artifactId],
  );
  return row === undefined ? null : checked(gradeRowSchema.parse(row));
}

/** A grade by id; `not-found`, `digest-mismatch`. */
export async function findGrade(database: Queryable, id: string): Promise<GradeRow> {
  const [row] = await database.query(`SELECT ${COLUMNS} FROM grades WHERE id = $1`, [id]);
  if (row === undefined) throw new ProctorError('not-found', `no grade ${JSON.stringify(id)}`);
  return checked(gradeRowSchema.parse(row));
}

function checked(row: GradeRow): GradeRow {
  if (gradeDigest(row.body) === row.digest) return row;
  throw new ProctorError('digest-mismatch', `the stored grade ${row.id} is not what was stored`, { id: row.id });
}
