import type { Digest } from '../../platform/base/digest.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** What a subject wrote for an instance, as one digest. */
export interface SolutionPrint {
  readonly artifactId: string;
  readonly taskDigest: Digest;
  readonly instanceDigest: Digest;
  readonly print: Digest;
}

/** Twins that are told; more say no more. */
const MOST_TWINS = 3;

/**
 * Appends a print (the first one of an artifact stays), and gives the hand-ins with the same for other instances of the task that were right
 * there, the oldest first.
 */
export async function savePrint(database: Queryable, one: SolutionPrint): Promise<readonly string[]> {
  const rows = await database.query(
    `WITH added AS (
       INSERT INTO solution_prints (artifact_id, task_digest, instance_digest, print) VALUES ($4, $2, $3, $1)
       ON CONFLICT (artifact_id) DO NOTHING
     )
     SELECT p.artifact_id AS id FROM solution_prints p
     WHERE p.print = $1 AND p.task_digest = $2 AND p.instance_digest <> $3 AND p.artifact_id <> $4
       AND EXISTS (SELECT 1 FROM verdicts v WHERE v.artifact_id = p.artifact_id AND v.body->>'outcome' = 'passed')
     ORDER BY p.created_at, p.artifact_id LIMIT $5`,
    [one.print, one.taskDigest, one.instanceDigest, one.artifactId, MOST_TWINS],
  );
  return rows.map(({ id }) => String(id));
}
