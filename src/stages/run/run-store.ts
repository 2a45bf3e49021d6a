import { ProctorError } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { type RunLabels, type RunRow, runLabelsSchema, runRowSchema } from './run.ts';

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
