import type { Database } from '../platform/db/database.ts';
import { findHandInKey } from '../stages/artifact/artifact-store.ts';
import { listTyped } from '../stages/session/session-store.ts';
import { type SessionTrace, TRACED_EVENTS } from '../stages/signal/session-trace.ts';
import { sessionOfKey } from './hand-in-key.ts';

/** Events of a session that are read for screening; a log that is longer is one that was made long. */
const MOST_EVENTS = 20_000;

/** What detectors read of the session that handed an artifact in; null when none did. */
export async function traceOf(database: Database, artifactId: string): Promise<SessionTrace | null> {
  const key = await findHandInKey(database, artifactId);
  const sessionId = key === null ? null : sessionOfKey(key);
  if (sessionId === null) return null;
  const events = await listTyped(database, sessionId, { types: TRACED_EVENTS, limit: MOST_EVENTS + 1 });
  return { sessionId, events: events.slice(0, MOST_EVENTS), cut: events.length > MOST_EVENTS };
}
