import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { RUN_STATES, type RunLabels, type RunRow, runLabelsSchema, runRowSchema } from './run.ts';

const COLUMNS = 'id, state, reason, created_at AS "createdAt", changed_at AS "changedAt"';

/** Makes the run that labels name, where it is new. */
export async function ensureRun(database: Queryable, { run }: Pick<RunLabels, 'run'>): Promise<void> {
  if (run === null) return;
  await database.query('INSERT INTO runs (id) VALUES ($1) ON CONFLICT (id) DO NOTHING', [run]);
}

/** A run by its name. `not-found`. */
export async function findRun(database: Queryable, id: string): Promise<RunRow> {
  const [row] = await database.query(`SELECT ${COLUMNS} FROM runs WHERE id = $1`, [id]);
  if (row === undefined) throw new ProctorError('not-found', `no run ${JSON.stringify(id)}`);
  return runRowSchema.parse(row);
}

/** Where a hand-in belongs. `not-found`. */
export async function findLabels(database: Queryable, artifactId: string): Promise<RunLabels> {
  const [row] = await database.query('SELECT labels FROM artifacts WHERE id = $1', [artifactId]);
  if (row === undefined) throw new ProctorError('not-found', `no submission ${JSON.stringify(artifactId)}`);
  return runLabelsSchema.parse(row.labels);
}

const placeSchema = z.object({
  run: z.string().nullable(),
  group: z.string().nullable(),
  state: z.enum(RUN_STATES).nullable(),
  reason: z.string().nullable(),
});
/** Which run and group a hand-in belongs to, and how that run stands. */
export type RunPlace = Readonly<z.infer<typeof placeSchema>>;

/** Where a hand-in belongs, and how its run stands; all null where it belongs to none. `not-found`. */
export async function findRunPlace(database: Queryable, artifactId: string): Promise<RunPlace> {
  const [row] = await database.query(
    `SELECT a.run_id AS run, a.labels->>'group' AS "group", runs.state, runs.reason
     FROM artifacts a LEFT JOIN runs ON runs.id = a.run_id WHERE a.id = $1`,
    [artifactId],
  );
  if (row === undefined) throw new ProctorError('not-found', `no submission ${JSON.stringify(artifactId)}`);
  return placeSchema.parse(row);
}

/** How a run stands; null for one that is not known. */
export async function findRunState(database: Queryable, id: string): Promise<RunRow['state'] | null> {
  const [row] = await database.query('SELECT state FROM runs WHERE id = $1', [id]);
  return runRowSchema.shape.state.nullable().parse(row?.state ?? null);
}

/** Refuses what would begin something in a cancelled run: `run-cancelled`. */
export async function refuseCancelled(database: Queryable, { run }: Pick<RunLabels, 'run'>): Promise<void> {
  if (run !== null && (await findRunState(database, run)) === 'cancelled') throw cancelled(run);
}

/** What is answered for anything of a cancelled run. */
export function cancelled(run: string | null): ProctorError {
  return new ProctorError('run-cancelled', `the run ${JSON.stringify(run)} is cancelled`, { run });
}

/** Runs, the newest first. */
export async function listRuns(
  database: Queryable,
  { state, limit }: { readonly state: RunRow['state'] | null; readonly limit: number },
): Promise<readonly RunRow[]> {
  const rows = await database.query(
    `SELECT ${COLUMNS} FROM runs WHERE $1::text IS NULL OR state = $1 ORDER BY created_at DESC, id LIMIT $2`,
    [state, limit],
  );
  return rows.map((row) => runRowSchema.parse(row));
}

/**
 * Changes how a run stands; gives whether it stood otherwise before. `not-found`; `run-cancelled`, since a cancelled run stays so. Who
 * pauses one also tells its webhooks, in the same transaction (`queueRunEvent` of the room `reward`).
 */
export async function setRunState(
  database: Queryable,
  id: string,
  { state, reason }: { readonly state: RunRow['state']; readonly reason: string | null },
): Promise<boolean> {
  const changed = await database.query(
    `UPDATE runs SET state = $2, reason = $3, changed_at = now()
     WHERE id = $1 AND state <> 'cancelled' AND state <> $2 RETURNING 1`,
    [id, state, reason],
  );
  if (changed.length > 0) return true;
  const run = await findRun(database, id);
  if (run.state === 'cancelled' && state !== 'cancelled') throw cancelled(id);
  return false;
}
