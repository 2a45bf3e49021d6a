import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import { STANDS } from '../verdict/verdict-store.ts';

const countSchema = z.object({
  of: z.coerce.number().int(),
  masked: z.coerce.number().int(),
  rejected: z.coerce.number().int(),
  flagged: z.coerce.number().int(),
});
/** How a run's last decided hand-ins were decided. */
export type RunShares = Readonly<z.infer<typeof countSchema>>;

/**
 * Counts the last decided hand-ins of a run, at most `last` of them, and only those since its state last changed: who resumes a run begins
 * anew.
 */
export async function countRunShares(database: Queryable, run: string, last: number): Promise<RunShares> {
  const [row] = await database.query(
    `SELECT count(*) AS of, count(*) FILTER (WHERE (body->>'mask')::boolean) AS masked,
            count(*) FILTER (WHERE body->>'action' = 'reject') AS rejected,
            count(*) FILTER (WHERE jsonb_array_length(body->'flags') > 0) AS flagged
     FROM (SELECT d.body FROM artifacts a JOIN verdicts v ON v.artifact_id = a.id JOIN decisions d ON d.verdict_id = v.id
           WHERE a.run_id = $1 AND ${STANDS} AND a.created_at >= (SELECT changed_at FROM runs WHERE id = $1)
           ORDER BY a.created_at DESC LIMIT $2) decided`,
    [run, last],
  );
  return countSchema.parse(row);
}

/** Pauses a run that is active, with the reason; false when it is not active (any more). */
export async function pauseActiveRun(database: Queryable, run: string, reason: string): Promise<boolean> {
  const rows = await database.query(
    `UPDATE runs SET state = 'paused', reason = $2, changed_at = now() WHERE id = $1 AND state = 'active' RETURNING id`,
    [run, reason],
  );
  return rows.length > 0;
}
