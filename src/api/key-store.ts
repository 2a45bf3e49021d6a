import { z } from 'zod';
import { ProctorError } from '../platform/base/errors.ts';
import type { Queryable } from '../platform/db/database.ts';
import { ROLES } from './roles.ts';

const keyRowSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  secretDigest: z.string(),
});
type KeyRow = z.infer<typeof keyRowSchema>;

const listedSchema = keyRowSchema
  .omit({ secretDigest: true })
  .extend({ createdAt: z.date(), revokedAt: z.date().nullable() });

export async function insertKey(database: Queryable, key: KeyRow): Promise<void> {
  await database.query('INSERT INTO api_keys (id, name, role, secret_digest) VALUES ($1, $2, $3, $4)', [
    key.id,
    key.name,
    key.role,
    key.secretDigest,
  ]);
}

/** A key that is not revoked, or null. */
export async function findKey(database: Queryable, id: string): Promise<KeyRow | null> {
  const [row] = await database.query(
    'SELECT id, name, role, secret_digest AS "secretDigest" FROM api_keys WHERE id = $1 AND revoked_at IS NULL',
    [id],
  );
  return row === undefined ? null : keyRowSchema.parse(row);
}

export async function listKeys(database: Queryable): Promise<readonly z.infer<typeof listedSchema>[]> {
  const rows = await database.query(
    `SELECT id, name, role, created_at AS "createdAt", revoked_at AS "revokedAt"
     FROM api_keys ORDER BY created_at, id LIMIT 1000`,
  );
  return rows.map((row) => listedSchema.parse(row));
}

/** From now on the key opens nothing, and its webhooks are told nothing. `not-found` when there is no such key in force. */
export async function revokeKey(database: Queryable, id: string): Promise<void> {
  const rows = await database.query(
    `WITH revoked AS (
       UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING id
     ), ended AS (
       UPDATE webhooks SET ended_at = now() WHERE ended_at IS NULL AND key_id IN (SELECT id FROM revoked) RETURNING id
     ), given_up AS (
       UPDATE webhook_messages SET state = 'given-up', last_answer = 'the key was revoked', settled_at = now()
       WHERE state = 'due' AND webhook_id IN (SELECT id FROM ended)
     ) SELECT id FROM revoked`,
    [id],
  );
  if (rows.length === 0) throw new ProctorError('not-found', `no key ${JSON.stringify(id)} is in force`);
}
