import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import { type DashboardFilter, NEWEST_REWARDS } from './dashboard-store.ts';
import { MAX_DASHBOARD_DAYS } from './review.ts';

/** What shares over time are told apart by. */
export const BREAKDOWNS = ['rule', 'run', 'task'] as const;
/** One of them. */
export type Breakdown = (typeof BREAKDOWNS)[number];

/** Those with the most rewards; more pictures than these nobody compares. */
const MOST_KEYS = 9;

/** SQL: what names a rule, a run or a task, over reward r, decision d, artifact a and task t. */
const KEYS = {
  rule: "fired->>'id'",
  run: 'a.run_id',
  task: 't.name',
} as const satisfies Record<Breakdown, string>;

const cellSchema = z.object({
  key: z.string(),
  /** `YYYY-MM-DD`, in UTC. */
  day: z.string(),
  rewards: z.number(),
  flaggedShare: z.number(),
  meanWeight: z.number(),
});

/** What was decided on one day for one rule, run or task; of a rule: on what it fired on. */
export type BreakdownCell = Readonly<z.infer<typeof cellSchema>>;

/**
 * Rewards, share flagged and mean weight by day of the newest rewards, as the policy decided them, for the rules, runs or tasks with the most of
 * them. What belongs to no run is in none. By day within each; a day without rewards has no row.
 */
export async function listBreakdown(
  database: Queryable,
  by: Breakdown,
  filter: DashboardFilter,
): Promise<readonly BreakdownCell[]> {
  const rows = await database.query(
    `WITH decided AS (
       SELECT ${KEYS[by]} AS key, to_char(r.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
              CASE WHEN jsonb_array_length(r.body->'flags') > 0 THEN 1 ELSE 0 END AS flagged,
              (r.body->>'trainWeight')::float8 AS weight
       FROM (SELECT * FROM rewards ORDER BY id DESC LIMIT ${NEWEST_REWARDS}) r
       JOIN decisions d ON d.id = r.decision_id JOIN verdicts v ON v.id = d.verdict_id AND v.amends IS NULL
       JOIN artifacts a ON a.id = r.artifact_id JOIN instances i ON i.id = a.instance_id
       JOIN tasks t ON t.digest = i.task_digest
       ${by === 'rule' ? "CROSS JOIN LATERAL jsonb_array_elements(d.body->'rules') AS fired" : ''}
       WHERE r.created_at > now() - make_interval(days => $1)
         AND ($2::text IS NULL OR a.run_id = $2) AND ($3::text IS NULL OR t.name = $3)
     ), most AS (
       SELECT key FROM decided WHERE key IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${MOST_KEYS}
     )
     SELECT key, day, count(*)::int AS rewards, avg(flagged)::float8 AS "flaggedShare", avg(weight)::float8 AS "meanWeight"
     FROM decided JOIN most USING (key) GROUP BY 1, 2 ORDER BY 1, 2`,
    [Math.min(filter.days, MAX_DASHBOARD_DAYS), filter.run ?? null, filter.task ?? null],
  );
  return rows.map((row) => cellSchema.parse(row));
}
