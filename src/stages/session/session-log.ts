import type { LogEnd, NewEvent } from './event.ts';
import type { SessionParts } from './session-parts.ts';
import { appendEvents } from './session-store.ts';

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
  return {
    append(events) {
      const before = last;
      const appending = before.then((known) => appendEvents(database, { sessionId, end: known }, events));
      last = appending.catch(() => before); // what failed was not stored: the next goes on from the same end
      appending.then(
        () => grown(sessionId),
        () => undefined,
      );
      return appending;
    },
  };
}
