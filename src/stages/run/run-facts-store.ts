import { z } from 'zod';
import { jsonParameter, type Queryable } from '../../platform/db/database.ts';

const countsSchema = z.object({
  handedIn: z.int(),
  /** Not rewarded, and still due. */
  waiting: z.int(),
  /** Not rewarded and due no more, since the run was cancelled. */
  dropped: z.int(),
  scored: z.int(),
  quarantined: z.int(),
  unscored: z.int(),
  masked: z.int(),
});
/** Hand-ins of a run by what became of them. */
export type RunCounts = Readonly<z.infer<typeof countsSchema>>;

/** The newest reward of each hand-in of a run, by the newest row. */
const NEWEST_REWARD = `LEFT JOIN LATERAL (
  SELECT body FROM rewards WHERE artifact_id = a.id ORDER BY created_at DESC, id DESC LIMIT 1
) r ON true`;

/** Counts all hand-ins of a run: a look at each of them, so not for a path that is walked often. */
export async function countRun(database: Queryable, run: string): Promise<RunCounts> {
  const [row] = await database.query(
    `SELECT count(*)::int AS "handedIn",
            count(*) FILTER (WHERE r.body IS NULL AND w.artifact_id IS NOT NULL)::int AS waiting,
            count(*) FILTER (WHERE r.body IS NULL AND w.artifact_id IS NULL)::int AS dropped,
            count(*) FILTER (WHERE r.body->>'status' = 'scored')::int AS scored,
            count(*) FILTER (WHERE r.body->>'status' = 'quarantined')::int AS quarantined,
            count(*) FILTER (WHERE r.body->>'status' = 'unscored')::int AS unscored,
            count(*) FILTER (WHERE (r.body->>'maskSample')::boolean)::int AS masked
     FROM artifacts a ${NEWEST_REWARD} LEFT JOIN work w ON w.artifact_id = a.id WHERE a.run_id = $1`,
    [run],
  );
  return countsSchema.parse(row);
}

/** Hand-ins of a run over which its masked share is looked at. */
export const RECENT = 1_000;

const recentSchema = z.object({ rewarded: z.int(), masked: z.int() });
/** Rewards among the newest {@link RECENT} hand-ins of a run, and how many of them are masked. */
export type RecentRewards = Readonly<z.infer<typeof recentSchema>>;

/** What became of the newest hand-ins of a run; costs the same however long it has been going on. */
export async function countRecent(database: Queryable, run: string): Promise<RecentRewards> {
  const [row] = await database.query(
    `SELECT count(r.body)::int AS rewarded, count(*) FILTER (WHERE (r.body->>'maskSample')::boolean)::int AS masked
     FROM (SELECT id FROM artifacts WHERE run_id = $1 ORDER BY created_at DESC LIMIT ${RECENT}) a ${NEWEST_REWARD}`,
    [run],
  );
  return recentSchema.parse(row);
}

/** The runs that these hand-ins belong to. */
export async function findRunsOf(database: Queryable, artifactIds: readonly string[]): Promise<readonly string[]> {
  const rows = await database.query(
    'SELECT DISTINCT run_id AS run FROM artifacts WHERE id = ANY($1::text[]) AND run_id IS NOT NULL',
    [[...artifactIds]],
  );
  return rows.map(({ run }) => String(run));
}

const alarmSchema = z.object({ kind: z.string(), body: z.record(z.string(), z.unknown()), createdAt: z.date() });
/** Something that a person should know of a run. */
export type RunAlarm = Readonly<z.infer<typeof alarmSchema>>;

/** Keeps an alarm; gives whether it is the first of its kind for the run. */
export async function saveRunAlarm(
  database: Queryable,
  run: string,
  { kind, body }: Pick<RunAlarm, 'kind' | 'body'>,
): Promise<boolean> {
  const rows = await database.query(
    'INSERT INTO run_alarms (run_id, kind, body) VALUES ($1, $2, $3::jsonb) ON CONFLICT DO NOTHING RETURNING 1',
    [run, kind, jsonParameter(body)],
  );
  return rows.length > 0;
}

/** The alarms of a run, oldest first. */
export async function listRunAlarms(database: Queryable, run: string): Promise<readonly RunAlarm[]> {
  const rows = await database.query(
    'SELECT kind, body, created_at AS "createdAt" FROM run_alarms WHERE run_id = $1 ORDER BY created_at, kind',
    [run],
  );
  return rows.map((row) => alarmSchema.parse(row));
}
