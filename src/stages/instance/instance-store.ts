import type { Digest } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { type Instance, type InstanceRow, instanceRowSchema } from './instance.ts';

/** Appends an instance and gives its row. */
export async function saveInstance(database: Queryable, instance: Instance): Promise<InstanceRow> {
  const id = newId('inst');
  const { taskDigest, seed, seedDrawn, parameters, digest, format, drawSecret, draws } = instance;
  await database.query(
    `INSERT INTO instances (id, task_digest, seed, seed_drawn, parameters, digest, format, draw_secret, draws)
     VALUES ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9)`,
    [id, taskDigest, seed, seedDrawn, jsonParameter(parameters), digest, format, drawSecret, JSON.stringify(draws)],
  );
  return { id, taskDigest, seed, seedDrawn, parameters, digest, format, drawSecret, draws };
}

/** An instance's row by id; `not-found`. */
export async function findInstance(database: Queryable, id: string): Promise<InstanceRow> {
  const [row] = await database.query(
    `SELECT id, task_digest AS "taskDigest", seed, seed_drawn AS "seedDrawn", parameters, digest, format,
            draw_secret AS "drawSecret", draws
     FROM instances WHERE id = $1`,
    [id],
  );
  if (row === undefined) throw new ProctorError('not-found', `no instance ${JSON.stringify(id)}`);
  return instanceRowSchema.parse({ ...row, draws: JSON.parse(String(row.draws)) });
}

/** The snapshot that an instance's workspaces and grades are made from, by digest; null before there was any. */
export async function findLockedSnapshot(database: Queryable, instanceId: string): Promise<string | null> {
  const [row] = await database.query('SELECT snapshot FROM instance_snapshots WHERE instance_id = $1', [instanceId]);
  return typeof row?.snapshot === 'string' ? row.snapshot : null;
}

/** Notes what an instance's first workspace or grade was made from; what was noted first stays. */
export async function lockSnapshot(database: Queryable, instanceId: string, digest: Digest): Promise<void> {
  await database.query(
    'INSERT INTO instance_snapshots (instance_id, snapshot) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [instanceId, digest],
  );
}

/** Notes that a seed of a task is known outside; a reason that is there stays. */
export async function retireSeed(
  database: Queryable,
  retired: { readonly task: string; readonly seed: string; readonly reason: string },
): Promise<void> {
  await database.query(
    'INSERT INTO retired_seeds (task_name, seed, reason) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [retired.task, retired.seed, retired.reason],
  );
}

/** Why a seed of a task was retired; null when it was not. */
export async function findRetired(database: Queryable, task: string, seed: string): Promise<string | null> {
  const [row] = await database.query('SELECT reason FROM retired_seeds WHERE task_name = $1 AND seed = $2', [
    task,
    seed,
  ]);
  return typeof row?.reason === 'string' ? row.reason : null;
}
