import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import { rateOf } from '../verdict/contamination.ts';
import { MAX_DASHBOARD_DAYS } from './review.ts';

/** The newest closed cases that precision and technique counts are drawn from: the cost is bounded, however old the service is. */
const NEWEST_CASES = 10_000;
/** The newest rewards that a curve is drawn from. */
export const NEWEST_REWARDS = 20_000;
const MAX_LINES = 500;

/** SQL: what people ruled last on hand-ins, of the newest closed cases; one row for each hand-in. */
const LAST_RULED = `(SELECT DISTINCT ON (c.artifact_id) c.artifact_id, c.task, c.ruling, c.verdict_id, c.id FROM
  (SELECT * FROM review_cases WHERE closed_at IS NOT NULL ORDER BY closed_at DESC, id LIMIT ${NEWEST_CASES}) c
  ORDER BY c.artifact_id, c.closed_at DESC, c.id)`;

const ruleSchema = z.object({ rule: z.string(), passed: z.number(), of: z.number() });

/** How often a rule was right, of the hand-ins on which it fired and that a person ruled a cheat or honest; Wilson's interval at 95 %. */
export interface RulePrecision {
  readonly rule: string;
  readonly cheats: number;
  readonly of: number;
  readonly precision: number | null;
  readonly low: number;
  readonly high: number;
}

/** Precision of every rule that fired on what was ruled on lately, the most often judged first. What nobody looked at is not in it. */
export async function rulePrecision(database: Queryable): Promise<readonly RulePrecision[]> {
  const rows = await database.query(
    `SELECT fired->>'id' AS rule, count(*) FILTER (WHERE l.ruling = 'cheat')::int AS passed, count(*)::int AS of
     FROM ${LAST_RULED} l JOIN verdicts looked ON looked.id = l.verdict_id
     JOIN verdicts v ON v.grade_id = looked.grade_id AND v.amends IS NULL
     JOIN decisions d ON d.verdict_id = v.id
     CROSS JOIN LATERAL jsonb_array_elements(d.body->'rules') AS fired
     WHERE l.ruling IN ('cheat', 'honest') GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT ${MAX_LINES}`,
  );
  return rows.map((row) => {
    const { rule, ...counts } = ruleSchema.parse(row);
    const { rate, low, high } = rateOf(counts);
    return { rule, cheats: counts.passed, of: counts.of, precision: rate, low, high };
  });
}

const techniqueSchema = z.object({ technique: z.string(), cheats: z.number() });

/** How many of the hand-ins that were ruled cheats lately used which technique, the most frequent first. */
export async function countTechniques(
  database: Queryable,
): Promise<readonly Readonly<z.infer<typeof techniqueSchema>>[]> {
  const rows = await database.query(
    `SELECT r.technique, count(*)::int AS cheats FROM ${LAST_RULED} l
     JOIN LATERAL (
       SELECT technique FROM review_rulings WHERE case_id = l.id AND undoes IS NULL ORDER BY at DESC, id DESC LIMIT 1
     ) r ON r.technique IS NOT NULL
     WHERE l.ruling = 'cheat' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${MAX_LINES}`,
  );
  return rows.map((row) => techniqueSchema.parse(row));
}

const taskSchema = z.object({
  task: z.string(),
  cheats: z.number(),
  honest: z.number(),
  defects: z.number(),
  faults: z.number(),
});

/** What people ruled lately on the hand-ins for each task: how healthy it is. */
export async function countByTask(database: Queryable): Promise<readonly Readonly<z.infer<typeof taskSchema>>[]> {
  const of = (ruling: string) => `count(*) FILTER (WHERE l.ruling = '${ruling}')::int`;
  const rows = await database.query(
    `SELECT l.task, ${of('cheat')} AS cheats, ${of('honest')} AS honest, ${of('task-defect')} AS defects,
            ${of('environment-fault')} AS faults
     FROM ${LAST_RULED} l GROUP BY 1 ORDER BY 4 DESC, 2 DESC, 1 LIMIT ${MAX_LINES}`,
  );
  return rows.map((row) => taskSchema.parse(row));
}

const ageSchema = z.object({ open: z.number(), oldestHours: z.number(), medianHours: z.number() });

/** How many cases are open, and how long they have been; zero hours where none is. */
export async function queueAge(database: Queryable): Promise<Readonly<z.infer<typeof ageSchema>>> {
  const hours = 'extract(epoch FROM now() - opened_at)::float8 / 3600';
  const [row] = await database.query(
    `SELECT count(*)::int AS open, coalesce(max(${hours}), 0)::float8 AS "oldestHours",
            coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY ${hours}), 0)::float8 AS "medianHours"
     FROM review_cases WHERE closed_at IS NULL`,
  );
  return ageSchema.parse(row);
}

const daySchema = z.object({
  /** `YYYY-MM-DD`, in UTC. */
  day: z.string(),
  rewards: z.number(),
  flaggedShare: z.number(),
  maskedShare: z.number(),
  meanWeight: z.number(),
});
/** What was decided on one day, before anybody ruled. */
export type DayFacts = Readonly<z.infer<typeof daySchema>>;

/** Which rewards, and how many days back, at most {@link MAX_DASHBOARD_DAYS}. */
export interface DashboardFilter {
  readonly run?: string | undefined;
  readonly task?: string | undefined;
  readonly days: number;
}

/** Share flagged, share masked and mean weight by day, of the newest rewards, as the policy decided them. */
export async function weightsByDay(database: Queryable, filter: DashboardFilter): Promise<readonly DayFacts[]> {
  const rows = await database.query(
    `SELECT to_char(r.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, count(*)::int AS rewards,
            avg(CASE WHEN jsonb_array_length(r.body->'flags') > 0 THEN 1 ELSE 0 END)::float8 AS "flaggedShare",
            avg(CASE WHEN (r.body->>'maskSample')::boolean THEN 1 ELSE 0 END)::float8 AS "maskedShare",
            avg((r.body->>'trainWeight')::float8) AS "meanWeight"
     FROM (SELECT * FROM rewards ORDER BY id DESC LIMIT ${NEWEST_REWARDS}) r
     JOIN decisions d ON d.id = r.decision_id JOIN verdicts v ON v.id = d.verdict_id AND v.amends IS NULL
     JOIN artifacts a ON a.id = r.artifact_id JOIN instances i ON i.id = a.instance_id
     WHERE r.created_at > now() - make_interval(days => $1)
       AND ($2::text IS NULL OR a.run_id = $2)
       AND ($3::text IS NULL OR i.task_digest IN (SELECT digest FROM tasks WHERE name = $3))
     GROUP BY 1 ORDER BY 1`,
    [Math.min(filter.days, MAX_DASHBOARD_DAYS), filter.run ?? null, filter.task ?? null],
  );
  return rows.map((row) => daySchema.parse(row));
}

/** Everything that the dashboard shows. */
export async function dashboardFacts(database: Queryable, filter: DashboardFilter) {
  return {
    queue: await queueAge(database),
    days: await weightsByDay(database, filter),
    rules: await rulePrecision(database),
    techniques: await countTechniques(database),
    tasks: await countByTask(database),
  };
}
