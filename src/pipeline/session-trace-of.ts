import type { Database } from '../platform/db/database.ts';
import { listTyped } from '../stages/session/session-store.ts';
import { type SessionTrace, TRACED_EVENTS } from '../stages/signal/session-trace.ts';

/** Events of each kind that are read for screening; a log that is longer is one that was made long. */
const MOST_EVENTS = 20_000;

/** What detectors read of a session. */
export async function traceOf(database: Database, sessionId: string): Promise<SessionTrace> {
  const groups = [];
  for (const types of TRACED_EVENTS)
    groups.push(await listTyped(database, sessionId, { types, limit: MOST_EVENTS + 1 }));
  const events = groups.flatMap((group) => group.slice(0, MOST_EVENTS)).sort((one, other) => one.seq - other.seq);
  return { sessionId, events, cut: groups.some((group) => group.length > MOST_EVENTS) };
}
