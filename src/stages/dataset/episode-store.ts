import { z } from 'zod';
import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import type { Queryable, RawRow } from '../../platform/db/database.ts';
import { type SessionEvent, sessionEventSchema } from '../session/event.ts';
import { type EpisodeFacts, episodeFactsSchema } from './episode.ts';

/** Which ended sessions are meant; what is left out does not matter. */
export interface EpisodeQuery {
  readonly runs?: readonly string[] | undefined;
  /** Names of tasks, in all their versions. */
  readonly tasks?: readonly string[] | undefined;
  /** When sessions were opened: from the first moment on, and before the last. */
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly phase?: 'train' | 'eval' | undefined;
  /** Only these. */
  readonly ids?: readonly string[] | undefined;
  /** Sessions after this id; ids sort by the time of their making. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** One statement for a page: keyset by id, and what follows a session by the indexes of each table. */
const PAGE = `
  SELECT s.id, s.origin, s.labels, s.created_at AS "openedAt", e.created_at AS "endedAt", e.artifact_id AS "artifactId",
         e.body AS "end", t.name AS task, i.task_digest AS "taskDigest", i.id AS "instanceId",
         i.digest AS "instanceDigest", i.draws::jsonb->>'difficulty' AS difficulty,
         EXISTS (SELECT 1 FROM sessions o WHERE o.instance_id = i.id AND o.labels->>'phase' = 'eval') AS "isEvaluated",
         EXISTS (SELECT 1 FROM retired_seeds r WHERE r.task_name = t.name AND r.seed = i.seed) AS "isRetired",
         v.id AS "verdictId", v.body AS verdict, v.digest AS "verdictCheck",
         d.id AS "decisionId", d.policy_digest AS policy, d.body AS decision, d.digest AS "decisionCheck",
         w.id AS "rewardId", w.body AS reward, w.digest AS "rewardCheck",
         p.id AS "profileId", p.body->'p' AS p, p.body->'weight' AS weight, p.body->'review' AS review,
         p.body->>'reason' AS "profileReason"
  FROM sessions s JOIN session_ends e ON e.session_id = s.id
  JOIN instances i ON i.id = s.instance_id JOIN tasks t ON t.digest = i.task_digest
  LEFT JOIN LATERAL (
    SELECT x.id, x.body, x.digest FROM verdicts x JOIN grades g ON g.id = x.grade_id
    WHERE x.artifact_id = e.artifact_id ORDER BY g.round DESC, x.created_at DESC, x.id DESC LIMIT 1
  ) v ON true
  LEFT JOIN decisions d ON d.verdict_id = v.id
  LEFT JOIN rewards w ON w.decision_id = d.id
  LEFT JOIN LATERAL (
    SELECT x.id, x.body FROM profiles x WHERE x.session_id = s.id ORDER BY x.created_at DESC, x.id DESC LIMIT 1
  ) p ON true`;

/** Ended sessions with all that is known of them, by id; at most `limit`. `digest-mismatch` where a row is not what was stored. */
export async function listEpisodeFacts(database: Queryable, query: EpisodeQuery): Promise<readonly EpisodeFacts[]> {
  const wanted: unknown[] = [];
  const conditions = Object.entries({
    's.id > ?': query.after,
    's.id = ANY(?)': query.ids,
    's.run_id = ANY(?)': query.runs,
    'i.task_digest IN (SELECT digest FROM tasks WHERE name = ANY(?))': query.tasks,
    's.created_at >= ?': query.since,
    's.created_at < ?': query.until,
    "coalesce(s.labels->>'phase', 'train') = ?": query.phase,
  }).flatMap(([sql, value]) => (value === undefined ? [] : [sql.replace('?', `$${wanted.push(value)}`)]));
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const rows = await database.query(`${PAGE}${where} ORDER BY s.id LIMIT $${wanted.push(query.limit)}`, wanted);
  return rows.map(factsOf);
}

function factsOf(row: RawRow): EpisodeFacts {
  checkBodies(row);
  const { id, origin, labels, openedAt, endedAt, artifactId, end, isEvaluated, isRetired } = row;
  return episodeFactsSchema.parse({
    ...{ id, origin, labels, openedAt, endedAt, artifactId, end, isEvaluated, isRetired },
    task: { name: row.task, digest: row.taskDigest },
    instance: { id: row.instanceId, digest: row.instanceDigest, difficulty: row.difficulty },
    verdict: row.verdictId === null ? null : { id: row.verdictId, body: row.verdict },
    decision: row.decisionId === null ? null : { id: row.decisionId, policy: row.policy, body: row.decision },
    reward: row.rewardId === null ? null : { id: row.rewardId, body: row.reward },
    profile: row.profileId === null ? null : profileOf(row),
  });
}

function profileOf({ profileId, p, weight, review, profileReason }: RawRow) {
  return { id: profileId, p, weight, review, reason: profileReason };
}

/** What a data set is made of was stored by us, and is what was stored. */
function checkBodies(row: RawRow): void {
  for (const what of ['verdict', 'decision', 'reward'] as const) {
    const body = row[what];
    if (body === null || body === undefined || digestOfJson(body) === row[`${what}Check`]) continue;
    throw new ProctorError('digest-mismatch', `the stored ${what} of session ${row.id} is not what was stored`);
  }
}

const STEP_EVENTS = ['step.began', 'step.ended', 'step.void', 'step.reported'];
const eventSchema = sessionEventSchema.extend({ sessionId: z.string() });

/** The events that say what some sessions did, at most so many of each, in order, by session. */
export async function listStepEvents(
  database: Queryable,
  sessionIds: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, readonly SessionEvent[]>> {
  const rows = await database.query(
    `SELECT s.id AS "sessionId", e.* FROM unnest($1::text[]) AS s(id) JOIN LATERAL (
       SELECT seq, type, at, step, message_id AS "messageId", outcome, detail, digest FROM session_events
       WHERE session_id = s.id AND type = ANY($2) ORDER BY seq LIMIT $3
     ) e ON true ORDER BY s.id, e.seq`,
    [[...sessionIds], STEP_EVENTS, limit],
  );
  const bySession = new Map<string, SessionEvent[]>();
  for (const row of rows) {
    const { sessionId, ...event } = eventSchema.parse(row);
    const known = bySession.get(sessionId);
    if (known === undefined) bySession.set(sessionId, [event]);
    else known.push(event);
  }
  return bySession;
}
