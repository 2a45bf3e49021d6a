import { z } from 'zod';
import { ERRORS, type ErrorCode, type ProctorError } from '../platform/base/errors.ts';
import { newId } from '../platform/base/ids.ts';
import { plainText } from '../platform/base/plain-text.ts';
import type { Queryable } from '../platform/db/database.ts';
import { STEP_NAMES, type StepName } from './step-name.ts';
import { IS_ALIVE, UNCLAIMED } from './worker-store.ts';

/** A step that is due for a hand-in. */
export interface DueStep {
  readonly step: StepName;
  readonly id: string;
  /** Its run, or else its task: groups take turns. */
  readonly group: string;
}

const dueSchema = z.object({ id: z.string(), step: z.enum(STEP_NAMES), group: z.string() });

const workFactsSchema = z.object({ open: z.number(), oldestSeconds: z.number(), workers: z.number() });

const failureSchema = z.object({
  step: z.enum(STEP_NAMES),
  code: z.string().transform((code) => (code in ERRORS ? code : 'defect') as ErrorCode),
  message: z.string(),
});

/** Hand-ins that are due, that no living worker has claimed and whose last failed try is long enough ago; oldest first. */
export async function findDueSteps(database: Queryable, limit: number): Promise<readonly DueStep[]> {
  const rows = await database.query(
    `SELECT work.artifact_id AS id, coalesce('run ' || a.run_id, i.task_digest) AS "group",
            CASE WHEN g.id IS NULL AND s.artifact_id IS NULL THEN 'screen'
                 WHEN g.id IS NULL THEN 'grade'
                 WHEN v.id IS NULL THEN 'judge'
                 WHEN d.id IS NULL THEN 'profile'
                 ELSE 'reward' END AS step
     FROM work JOIN artifacts a ON a.id = work.artifact_id JOIN instances i ON i.id = a.instance_id
     LEFT JOIN screenings s ON s.artifact_id = work.artifact_id
     LEFT JOIN LATERAL (SELECT id FROM grades WHERE artifact_id = work.artifact_id ORDER BY round DESC LIMIT 1) g ON true
     LEFT JOIN verdicts v ON v.grade_id = g.id AND v.amends IS NULL
     LEFT JOIN decisions d ON d.verdict_id = v.id
     LEFT JOIN LATERAL (
       SELECT count(*) AS tries, max(at) AS last_at FROM attempts WHERE subject_id = work.artifact_id
     ) t ON true
     WHERE ${UNCLAIMED}
       AND (t.tries = 0 OR t.last_at < now() - make_interval(secs => least(power(2, least(t.tries, 10)), 600)))
     ORDER BY work.created_at, work.artifact_id LIMIT $1`,
    [limit],
  );
  return rows.map((row) => dueSchema.parse(row));
}

/** How many hand-ins have no reward yet. */
export async function countOpen(database: Queryable): Promise<number> {
  const [row] = await database.query('SELECT count(*)::int AS open FROM work');
  return Number(row?.open);
}

/** How much is open, how old the oldest of it is, and how many processes that grade have given a sign of life lately. */
export async function describeWork(database: Queryable): Promise<Readonly<z.infer<typeof workFactsSchema>>> {
  const [row] = await database.query(
    `SELECT (SELECT count(*)::int FROM work) AS open,
            (SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 FROM work) AS "oldestSeconds",
            (SELECT count(*)::int FROM workers WHERE grades AND ${IS_ALIVE}) AS workers`,
  );
  return workFactsSchema.parse(row);
}

const openSchema = z.object({
  id: z.string(),
  /** Name of its task. */
  task: z.string(),
  ageSeconds: z.number(),
  /** `HOST:PID` of the process that works on it; null: nobody does. */
  worker: z.string().nullable(),
  /** Tries that have failed. */
  tries: z.number(),
  /** Of the newest of them; null: none has. */
  step: z.string().nullable(),
  code: z.string().nullable(),
  message: z.string().nullable(),
});

/** A hand-in without a reward. */
export type OpenHandIn = Readonly<z.infer<typeof openSchema>>;

/** Hand-ins without a reward, oldest first; `failedOnly` leaves out those of which no try has failed. */
export async function listOpen(
  database: Queryable,
  { failedOnly, limit }: { failedOnly: boolean; limit: number },
): Promise<readonly OpenHandIn[]> {
  const rows = await database.query(
    `SELECT work.artifact_id AS id, t.name AS task, extract(epoch FROM now() - work.created_at)::float8 AS "ageSeconds",
            CASE WHEN ${UNCLAIMED} THEN NULL ELSE (SELECT name FROM workers WHERE id = work.worker_id) END AS worker,
            (SELECT count(*)::int FROM attempts WHERE subject_id = work.artifact_id) AS tries,
            last.step, last.error_code AS code, last.message
     FROM work JOIN artifacts a ON a.id = work.artifact_id JOIN instances i ON i.id = a.instance_id
     JOIN tasks t ON t.digest = i.task_digest
     LEFT JOIN LATERAL (
       SELECT step, error_code, message FROM attempts WHERE subject_id = work.artifact_id ORDER BY at DESC, id DESC LIMIT 1
     ) last ON true
     WHERE NOT $1::boolean OR last.step IS NOT NULL
     ORDER BY work.created_at, work.artifact_id LIMIT $2`,
    [failedOnly, limit],
  );
  return rows.map((row) => openSchema.parse(row));
}

/** Keeps a failed try and gives how many there are now for this step. */
export async function saveAttempt(
  database: Queryable,
  due: Pick<DueStep, 'step' | 'id'>,
  error: ProctorError,
): Promise<number> {
  await database.query('INSERT INTO attempts (id, step, subject_id, error_code, message) VALUES ($1, $2, $3, $4, $5)', [
    newId('att'),
    due.step,
    due.id,
    error.code,
    plainText(error.message, 4_000),
  ]);
  const [row] = await database.query(
    'SELECT count(*)::int AS tries FROM attempts WHERE subject_id = $1 AND step = $2',
    [due.id, due.step],
  );
  return Number(row?.tries ?? 1);
}

/** The newest failed try of any step of a hand-in, or null. */
export async function findLastFailure(
  database: Queryable,
  artifactId: string,
): Promise<{ step: StepName; code: ErrorCode; message: string } | null> {
  const [row] = await database.query(
    'SELECT step, error_code AS code, message FROM attempts WHERE subject_id = $1 ORDER BY at DESC, id DESC LIMIT 1',
    [artifactId],
  );
  return row === undefined ? null : failureSchema.parse(row);
}
