import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';

const listedSchema = z.object({
  id: z.string(),
  task: z.string(),
  origin: z.string(),
  outcome: z.string().nullable(),
  steps: z.coerce.number().int().nullable(),
  createdAt: z.date(),
});

/** A session in a list; `outcome` and `steps` are null while it is open. */
export type ListedSession = Readonly<z.infer<typeof listedSchema>>;

/** The newest sessions, at most `limit`. */
export async function listSessions(database: Queryable, limit: number): Promise<readonly ListedSession[]> {
  const rows = await database.query(
    `SELECT s.id, t.name AS task, s.origin, e.body->>'outcome' AS outcome, e.body->>'steps' AS steps,
            s.created_at AS "createdAt"
     FROM sessions s JOIN instances i ON i.id = s.instance_id JOIN tasks t ON t.digest = i.task_digest
     LEFT JOIN session_ends e ON e.session_id = s.id ORDER BY s.id DESC LIMIT $1`,
    [limit],
  );
  return rows.map((row) => listedSchema.parse(row));
}

/** Sessions of a task that are looked at together, the newest. */
export const MOST_SESSIONS = 20_000;

/** When sessions were opened: from the first moment on, and before the last. */
export interface Between {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** Ended workspace sessions of a task, in all its versions, the newest first, at most `limit`. */
export async function listEnded(
  database: Queryable,
  { task, since, until, limit }: { readonly task: string; readonly limit: number } & Between,
): Promise<readonly string[]> {
  const rows = await database.query(
    `SELECT s.id FROM sessions s JOIN session_ends e ON e.session_id = s.id JOIN instances i ON i.id = s.instance_id
     WHERE i.task_digest IN (SELECT digest FROM tasks WHERE name = $1) AND s.origin = 'workspace'
       AND ($2::timestamptz IS NULL OR s.created_at >= $2) AND ($3::timestamptz IS NULL OR s.created_at < $3)
     ORDER BY s.id DESC LIMIT $4`,
    [task, since ?? null, until ?? null, limit],
  );
  return rows.map(({ id }) => String(id));
}

/** The number of the last step that a session has made; 0: none. */
export async function findLastStep(database: Queryable, sessionId: string): Promise<number> {
  const [row] = await database.query(
    'SELECT step FROM session_events WHERE session_id = $1 AND step IS NOT NULL ORDER BY seq DESC LIMIT 1',
    [sessionId],
  );
  return Number(row?.step ?? 0);
}
