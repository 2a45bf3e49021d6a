import { z } from 'zod';
import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { asStored, jsonParameter, type Queryable } from '../../platform/db/database.ts';
import type { PassCounts } from './contamination.ts';
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
       SELECT body->>'outcome' AS outcome, body->>'integrity' AS integrity FROM verdicts WHERE artifact_id = a.id ORDER BY created_at DESC, id DESC LIMIT 1
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
