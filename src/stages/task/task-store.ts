import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import { jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { GATES } from './admission.ts';
import { taskFromFiles } from './load-task.ts';
import type { Task } from './task.ts';

const listingSchema = z.array(
  z.object({
    path: z.string(),
    mode: z.int(),
    blob: digestSchema,
  }),
);

export const taskListingSchema = z.object({
  name: z.string(),
  digest: z.string(),
  gate: z.enum(GATES).nullable().describe('null: never audited'),
});
export type TaskListing = z.infer<typeof taskListingSchema>;

interface Parts {
  readonly database: Queryable;
  readonly blobs: Blobs;
}

/** Keeps a task whole, its files as blobs, and lets its name stand for it from now on. Saving it again is fine. */
export async function saveTask({ database, blobs }: Parts, task: Task): Promise<void> {
  const known = await database.query('SELECT 1 FROM tasks WHERE digest = $1', [task.digest]);
  if (known.length === 0) await insertTask({ database, blobs }, task);
  await database.query(
    `INSERT INTO task_registrations (name, task_digest)
     SELECT $1::text, $2::text WHERE $2::text IS DISTINCT FROM
       (SELECT task_digest FROM task_registrations WHERE name = $1 ORDER BY id DESC LIMIT 1)`,
    [task.name, task.digest],
  );
}

async function insertTask({ database, blobs }: Parts, task: Task): Promise<void> {
  const listing: z.infer<typeof listingSchema> = [];
  for (const { path, mode, bytes } of task.files) listing.push({ path, mode, blob: await blobs.put(bytes) });
  await database.query(
    'INSERT INTO tasks (digest, name, files) VALUES ($1, $2, $3::jsonb) ON CONFLICT (digest) DO NOTHING',
    [task.digest, task.name, jsonParameter(listing)],
  );
}

/** How many tasks are kept in memory after they were compared with their digests. */
const MOST_KEPT = 64;
const kept = new WeakMap<Blobs, Map<string, Promise<Task>>>();

/** A stored task, compared with its digest when this process first reads it. `not-found`, `digest-mismatch`. */
export function findTask(parts: Parts, digest: string): Promise<Task> {
  const tasks = kept.get(parts.blobs) ?? new Map<string, Promise<Task>>();
  kept.set(parts.blobs, tasks);
  const found = tasks.get(digest) ?? readTask(parts, digest);
  tasks.delete(digest);
  tasks.set(digest, found); // the newest last
  found.catch(() => tasks.delete(digest));
  const [oldest] = tasks.keys();
  if (tasks.size > MOST_KEPT && oldest !== undefined) tasks.delete(oldest);
  return found;
}

async function readTask({ database, blobs }: Parts, digest: string): Promise<Task> {
  const [row] = await database.query('SELECT name, files FROM tasks WHERE digest = $1', [digest]);
  if (row === undefined) throw new ProctorError('not-found', `no task ${digest} is stored`);
  const listing = listingSchema.parse(row.files);
  const files = await Promise.all(
    listing.map(async ({ path, mode, blob }) => ({ path, mode, bytes: await blobs.get(blob) })),
  );
  const task = taskFromFiles(files, String(row.name));
  if (task.digest === digest) return task;
  throw new ProctorError('digest-mismatch', `the stored task ${digest} is not what was stored`, { found: task.digest });
}

/** Registered names, the digests that they stand for, and how the newest audit of each ended. */
export async function listTasks(database: Queryable): Promise<readonly TaskListing[]> {
  const rows = await database.query(
    `SELECT DISTINCT ON (r.name) r.name, r.task_digest AS digest,
       (SELECT a.gate FROM admissions a WHERE a.task_digest = r.task_digest ORDER BY a.id DESC LIMIT 1) AS gate
     FROM task_registrations r ORDER BY r.name, r.id DESC LIMIT 1000`,
  );
  return rows.map((row) => taskListingSchema.parse(row));
}

/** The digest that a name stands for now, or a digest that is stored. */
export async function findTaskDigest(database: Queryable, nameOrDigest: string): Promise<string> {
  const [row] = await database.query(
    `SELECT digest FROM tasks WHERE digest = $1
     UNION ALL
     (SELECT task_digest FROM task_registrations WHERE name = $1 ORDER BY id DESC LIMIT 1) LIMIT 1`,
    [nameOrDigest],
  );
  if (row === undefined) throw new ProctorError('not-found', `no task ${JSON.stringify(nameOrDigest)} is registered`);
  return String(row.digest);
}
