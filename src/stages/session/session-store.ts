import { z } from 'zod';
import { type Digest, digestSchema } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { asStored, jsonParameter, type Queryable } from '../../platform/db/database.ts';
import type { RunLabels } from '../run/run.ts';
import { ensureRun } from '../run/run-store.ts';
import { EMPTY_LOG, follow, type LogEnd, type NewEvent, type SessionEvent, sessionEventSchema } from './event.ts';
import {
  type SessionBody,
  type SessionEnd,
  type SessionRow,
  type SessionState,
  sessionEndSchema,
  sessionRowSchema,
  sessionStateSchema,
} from './session.ts';

const COLUMNS = 'id, instance_id AS "instanceId", origin, body, labels, created_at AS "createdAt"';

/** A session that is to be stored. */
interface NewSession {
  readonly instanceId: string;
  readonly origin: SessionRow['origin'];
  readonly body: SessionBody;
  readonly idempotencyKey: string | null;
  readonly labels: RunLabels;
}

/** Appends a session; null when its idempotency key was used before (see {@link findSessionByKey}). */
export async function saveSession(database: Queryable, session: NewSession): Promise<SessionRow | null> {
  const { labels } = session;
  await ensureRun(database, labels);
  const [row] = await database.query(
    `INSERT INTO sessions (id, instance_id, idempotency_key, origin, body, run_id, labels)
     VALUES ($1, $2, $3, $4, $5::jsonb, $6, $7::jsonb)
     ON CONFLICT (idempotency_key) DO NOTHING RETURNING ${COLUMNS}`,
    [
      ...[newId('sess'), session.instanceId, session.idempotencyKey, session.origin, jsonParameter(session.body)],
      ...[labels.run, jsonParameter(labels)],
    ],
  );
  return row === undefined ? null : sessionRowSchema.parse(row);
}

/** The session that was opened under an idempotency key, or null. */
export async function findSessionByKey(database: Queryable, key: string): Promise<SessionRow | null> {
  const [row] = await database.query(`SELECT ${COLUMNS} FROM sessions WHERE idempotency_key = $1`, [key]);
  return row === undefined ? null : sessionRowSchema.parse(row);
}

/** A session by id; `not-found`. */
export async function findSession(database: Queryable, id: string): Promise<SessionRow> {
  const [row] = await database.query(`SELECT ${COLUMNS} FROM sessions WHERE id = $1`, [id]);
  if (row === undefined) throw new ProctorError('not-found', `no session ${JSON.stringify(id)}`);
  return sessionRowSchema.parse(row);
}

const EVENT_COLUMNS = 'seq, type, at, step, message_id AS "messageId", outcome, detail, digest';

/**
 * Appends events after the end of a session's log and gives the new end. `lease-lost` when another process has appended to it
 * meanwhile: in a transaction nothing is stored then.
 */
export async function appendEvents(
  database: Queryable,
  log: { readonly sessionId: string; readonly end: LogEnd },
  events: readonly NewEvent[],
): Promise<LogEnd> {
  let end = log.end;
  const rows = events.map((event) => {
    const placed = follow(log.sessionId, end, { ...event, detail: asStored(event.detail) });
    end = { seq: placed.seq, digest: placed.digest };
    const { messageId, ...words } = placed;
    return { ...words, message_id: messageId };
  });
  if (rows.length === 0) return end;
  const stored = await database.query(
    `INSERT INTO session_events (session_id, seq, step, type, at, message_id, outcome, detail, digest)
     SELECT $1, e.seq, e.step, e.type, e.at, e.message_id, e.outcome, e.detail, e.digest
     FROM jsonb_to_recordset($2::jsonb)
       AS e(seq integer, step integer, type text, at timestamptz, message_id text, outcome text, detail jsonb, digest text)
     ON CONFLICT (session_id, seq) DO NOTHING RETURNING 1`,
    [log.sessionId, jsonParameter(rows)],
  );
  if (stored.length === rows.length) return end;
  throw new ProctorError('lease-lost', `another process writes the log of ${log.sessionId}`);
}

/** Events of a session after a number (0: from the first), at most `limit`. */
export async function listEvents(
  database: Queryable,
  sessionId: string,
  range: { readonly after: number; readonly limit: number },
): Promise<readonly SessionEvent[]> {
  const rows = await database.query(
    `SELECT ${EVENT_COLUMNS} FROM session_events WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    [sessionId, range.after, range.limit],
  );
  return rows.map((row) => sessionEventSchema.parse(row));
}

/** The first events of some types of a session, at most `limit`. */
export async function listTyped(
  database: Queryable,
  sessionId: string,
  wanted: { readonly types: readonly string[]; readonly limit: number },
): Promise<readonly SessionEvent[]> {
  const rows = await database.query(
    `SELECT ${EVENT_COLUMNS} FROM session_events WHERE session_id = $1 AND type = ANY($2) ORDER BY seq LIMIT $3`,
    [sessionId, wanted.types, wanted.limit],
  );
  return rows.map((row) => sessionEventSchema.parse(row));
}

const PAGE = 1_000;

/** All events of a session, or its first `most`. */
export async function allEvents(
  database: Queryable,
  sessionId: string,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = [];
  for (;;) {
    const limit = Math.min(PAGE, most - events.length);
    const page = await listEvents(database, sessionId, { after: events.at(-1)?.seq ?? 0, limit });
    events.push(...page);
    if (page.length < limit || events.length >= most) return events;
  }
}

/** Whether an output of a step of a session has this digest. */
export async function hasOutput(database: Queryable, sessionId: string, sha256: Digest): Promise<boolean> {
  const found = await database.query(
    `SELECT 1 FROM session_events WHERE session_id = $1 AND type = 'step.ended' AND detail->'outputs' @> $2::jsonb LIMIT 1`,
    [sessionId, jsonParameter([{ sha256 }])],
  );
  return found.length > 0;
}

const endSchema = z.object({ seq: z.int(), digest: digestSchema });

/** The end of a session's log. */
export async function findLogEnd(database: Queryable, sessionId: string): Promise<LogEnd> {
  const [row] = await database.query(
    'SELECT seq, digest FROM session_events WHERE session_id = $1 ORDER BY seq DESC LIMIT 1',
    [sessionId],
  );
  return row === undefined ? EMPTY_LOG : endSchema.parse(row);
}

const storedEndSchema = z.object({ artifactId: z.string().nullable(), body: sessionEndSchema });

/** How a session ended, with the artifact that it handed in. */
export type StoredEnd = Readonly<z.infer<typeof storedEndSchema>>;

/** Stores the end of a session; an end that is there stays. */
export async function saveSessionEnd(
  database: Queryable,
  sessionId: string,
  end: { readonly artifactId: string | null; readonly body: SessionEnd },
): Promise<void> {
  await database.query(
    'INSERT INTO session_ends (session_id, artifact_id, body) VALUES ($1, $2, $3::jsonb) ON CONFLICT DO NOTHING',
    [sessionId, end.artifactId, jsonParameter(end.body)],
  );
}

/** Notes that a session's sandbox is there no more. */
export async function forgetLive(database: Queryable, sessionId: string): Promise<void> {
  await database.query('DELETE FROM live_sessions WHERE session_id = $1', [sessionId]);
}

/** How a session ended; null while it has not. */
export async function findSessionEnd(database: Queryable, sessionId: string): Promise<StoredEnd | null> {
  const [row] = await database.query(
    'SELECT artifact_id AS "artifactId", body FROM session_ends WHERE session_id = $1',
    [sessionId],
  );
  return row === undefined ? null : storedEndSchema.parse(row);
}

const liveSchema = z.object({
  sessionId: z.string(),
  workerId: z.string(),
  node: z.string(),
  place: z.unknown(),
  state: sessionStateSchema,
});

const LIVE_COLUMNS = 'l.session_id AS "sessionId", l.worker_id AS "workerId", l.node, l.place, l.state';

/** A session whose sandbox is there, with what is needed to find it again. */
export type LiveRow = Readonly<z.infer<typeof liveSchema>>;

/** Notes that a session's sandbox is there, in this process's hands. */
export async function saveLive(database: Queryable, live: LiveRow): Promise<void> {
  await database.query(
    `INSERT INTO live_sessions (session_id, worker_id, node, place, state) VALUES ($1, $2, $3, $4::jsonb, $5::jsonb)
     ON CONFLICT (session_id) DO UPDATE SET worker_id = $2, node = $3, place = $4::jsonb, state = $5::jsonb, updated_at = now()`,
    [live.sessionId, live.workerId, live.node, jsonParameter(live.place), jsonParameter(live.state)],
  );
}

/** Takes a live session over from a process; false when it is not that process's any more. */
export async function takeLive(database: Queryable, live: LiveRow, from: string): Promise<boolean> {
  const rows = await database.query(
    `UPDATE live_sessions SET worker_id = $2, node = $3, updated_at = now()
     WHERE session_id = $1 AND worker_id = $4 RETURNING 1`,
    [live.sessionId, live.workerId, live.node, from],
  );
  return rows.length > 0;
}

/** Notes how far a live session is; false when it is another process's by now. */
export async function saveState(
  database: Queryable,
  live: { readonly sessionId: string; readonly workerId: string },
  state: SessionState,
): Promise<boolean> {
  const rows = await database.query(
    'UPDATE live_sessions SET state = $3::jsonb, updated_at = now() WHERE session_id = $1 AND worker_id = $2 RETURNING 1',
    [live.sessionId, live.workerId, jsonParameter(state)],
  );
  return rows.length > 0;
}

/** Live sessions of a node whose process is another than this one. */
export async function listLive(database: Queryable, node: string): Promise<readonly LiveRow[]> {
  const rows = await database.query(
    `SELECT ${LIVE_COLUMNS} FROM live_sessions l WHERE l.node = $1 ORDER BY l.session_id`,
    [node],
  );
  return rows.map((row) => liveSchema.parse(row));
}

/** Live sessions of other nodes whose process has given no sign of life for so many seconds. */
export async function listOrphaned(
  database: Queryable,
  node: string,
  silentSeconds: number,
): Promise<readonly LiveRow[]> {
  const rows = await database.query(
    `SELECT ${LIVE_COLUMNS} FROM live_sessions l LEFT JOIN workers w ON w.id = l.worker_id
     WHERE l.node <> $1 AND coalesce(w.seen_at, l.updated_at) < now() - make_interval(secs => $2)`,
    [node, silentSeconds],
  );
  return rows.map((row) => liveSchema.parse(row));
}

/** Which process has a live session; null when none has. */
export async function findLive(database: Queryable, sessionId: string): Promise<LiveRow | null> {
  const [row] = await database.query(`SELECT ${LIVE_COLUMNS} FROM live_sessions l WHERE l.session_id = $1`, [
    sessionId,
  ]);
  return row === undefined ? null : liveSchema.parse(row);
}

/** A digest of a log that has events. */
export function digestOfLog(end: LogEnd): Digest {
  if (end.digest === null) throw new ProctorError('defect', 'a session has ended without an event');
  return end.digest;
}
