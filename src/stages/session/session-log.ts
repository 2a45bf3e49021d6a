import type { LogEnd, NewEvent } from './event.ts';
import type { SessionParts } from './session-parts.ts';
import { appendEvents, findLogEnd } from './session-store.ts';

/** The one writer of a session's log. */
export interface SessionLog {
  /** Appends after all that was appended before; rejects when they could not be stored. */
  append(events: readonly NewEvent[]): Promise<LogEnd>;
}

/** Goes on after `end`. */
export function openLog(
  { database, grown }: Pick<SessionParts, 'database' | 'grown'>,
  sessionId: string,
  end: LogEnd,
): SessionLog {
  let last: Promise<LogEnd> = Promise.resolve(end);
  const store = async (after: LogEnd, events: readonly NewEvent[]) =>
    database.transaction((transaction) => appendEvents(transaction, { sessionId, end: after }, events));
  return {
    append(events) {
      const before = last;
      const appending = before.then((known) => store(known, events));
      // what failed may have been stored all the same, when only its answer was lost
      last = appending.catch(() => findLogEnd(database, sessionId).catch(() => before));
      appending.then(
        () => grown(sessionId),
        () => undefined,
      );
      return appending;
    },
  };
}
