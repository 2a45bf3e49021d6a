import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { type Instance, type InstanceRow, instanceRowSchema } from './instance.ts';

/** Appends an instance and gives its row. */
export async function saveInstance(database: Queryable, instance: Instance): Promise<InstanceRow> {
  const id = newId('inst');
  const { taskDigest, seed, seedDrawn, parameters, digest } = instance;
  await database.query(
    `INSERT INTO instances (id, task_digest, seed, seed_drawn, parameters, digest)
     VALUES ($1, $2, $3, $4, $5::jsonb, $6)`,
    [id, taskDigest, seed, seedDrawn, jsonParameter(parameters), digest],
  );
  return { id, taskDigest, seed, seedDrawn, parameters, digest };
}

/** An instance's row by id; `not-found`. */
export async function findInstance(database: Queryable, id: string): Promise<InstanceRow> {
  const [row] = await database.query(
    `SELECT id, task_digest AS "taskDigest", seed, seed_drawn AS "seedDrawn", parameters, digest
     FROM instances WHERE id = $1`,
    [id],
  );
  if (row === undefined) throw new ProctorError('not-found', `no instance ${JSON.stringify(id)}`);
  return instanceRowSchema.parse(row);
}
