import { z } from 'zod';
import { digestOfJson, digestSchema } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { type Reference, referenceSchema } from './reference.ts';

const listedSchema = z.object({
  digest: digestSchema,
  task: z.string(),
  window: z.string(),
  sessions: z.int(),
  createdAt: z.date(),
});

/** A stored reference, without what is in it. `sessions` are those that it was made of, calibration included. */
export type StoredReference = Readonly<z.infer<typeof listedSchema>>;

const COLUMNS = 'digest, task_name AS task, policy_window AS "window", sessions, created_at AS "createdAt"';

/** Appends a reference of a task's sessions and gives its digest; the same again stays one. */
export async function saveReference(database: Queryable, task: string, reference: Reference): Promise<string> {
  const { fitted, calibration } = reference;
  const digest = digestOfJson(reference);
  await database.query(
    `INSERT INTO profile_references (digest, task_name, policy_window, sessions, body) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (digest) DO NOTHING`,
    [digest, task, fitted.window, fitted.sessions + calibration.sessions, JSON.stringify(reference)],
  );
  return digest;
}

/** A reference with what is told of it in lists. */
export interface FoundReference {
  readonly stored: StoredReference;
  readonly reference: Reference;
}

/** The digest of the newest reference of a task, of a policy window or (null) of any; null when there is none. */
export async function findReferenceDigest(
  database: Queryable,
  task: string,
  window: string | null,
): Promise<string | null> {
  const [row] = await database.query(
    `SELECT digest FROM profile_references WHERE task_name = $1 AND ($2::text IS NULL OR policy_window = $2)
     ORDER BY created_at DESC, digest LIMIT 1`,
    [task, window],
  );
  return row === undefined ? null : String(row.digest);
}

/** The newest reference of a task, of a policy window or (null) of any, compared with its digest; null when there is none. */
export async function findReference(
  database: Queryable,
  task: string,
  window: string | null,
): Promise<FoundReference | null> {
  const digest = await findReferenceDigest(database, task, window);
  return digest === null ? null : loadReference(database, digest);
}

/** A reference by its digest, compared with it. `not-found`, `digest-mismatch`; `conflict` when another version made it. */
export async function loadReference(database: Queryable, digest: string): Promise<FoundReference> {
  const [row] = await database.query(`SELECT ${COLUMNS}, body FROM profile_references WHERE digest = $1`, [digest]);
  if (row === undefined) throw new ProctorError('not-found', `no reference ${digest}`);
  const stored = listedSchema.parse(row);
  const parsed = referenceSchema.safeParse(JSON.parse(String(row.body)));
  if (!parsed.success) {
    throw new ProctorError('conflict', `the reference ${stored.digest} was made by another version: fit it again`);
  }
  const reference = parsed.data;
  if (digestOfJson(reference) === stored.digest) return { stored, reference };
  throw new ProctorError('digest-mismatch', `the stored reference ${stored.digest} is not what was stored`);
}

/** Stored references, the newest first, at most `limit`. */
export async function listReferences(database: Queryable, limit: number): Promise<readonly StoredReference[]> {
  const rows = await database.query(
    `SELECT ${COLUMNS} FROM profile_references ORDER BY created_at DESC, digest LIMIT $1`,
    [limit],
  );
  return rows.map((row) => listedSchema.parse(row));
}
