import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';

/** Siblings that are looked at; a larger group tells of these. */
const MOST_SIBLINGS = 4_096;

const siblingSchema = z.object({
  artifactId: z.string(),
  decisionId: z.string(),
  taskDigest: z.string(),
  status: z.enum(['scored', 'quarantined', 'unscored']),
  reward: z.number(),
});
/** A rollout of the same prompt in the same run, as it was paid. */
export type Sibling = Readonly<z.infer<typeof siblingSchema>>;

/** What the hand-ins of a group of a run were paid so far; those that wait are not among them. */
export async function findSiblings(database: Queryable, run: string, group: string): Promise<readonly Sibling[]> {
  const rows = await database.query(
    `SELECT a.id AS "artifactId", r.decision_id AS "decisionId", i.task_digest AS "taskDigest",
            r.body->>'status' AS status, (r.body->>'reward')::float8 AS reward
     FROM artifacts a JOIN instances i ON i.id = a.instance_id
     JOIN LATERAL (
       SELECT decision_id, body FROM rewards WHERE artifact_id = a.id ORDER BY created_at DESC, id DESC LIMIT 1
     ) r ON true
     WHERE a.run_id = $1 AND a.labels->>'group' = $2 LIMIT ${MOST_SIBLINGS}`,
    [run, group],
  );
  return rows.map((row) => siblingSchema.parse(row));
}

/** How many attempts on an instance are counted. */
export const MOST_ATTEMPTS = 256;

/** How many hand-ins there are for the instance that a hand-in answers, itself among them; at most {@link MOST_ATTEMPTS}. */
export async function countAttempts(database: Queryable, artifactId: string): Promise<number> {
  const [row] = await database.query(
    `SELECT count(*)::int AS attempts FROM (
       SELECT 1 FROM artifacts WHERE instance_id = (SELECT instance_id FROM artifacts WHERE id = $1) LIMIT ${MOST_ATTEMPTS}
     ) AS counted`,
    [artifactId],
  );
  return Number(row?.attempts ?? 0);
}
