import type { NewEvent } from '../stages/session/event.ts';
import type { LiveSession } from '../stages/session/live-session.ts';

/** Where a gateway tells what was attempted, from before there is a session. */
export interface HeldAttempts {
  take(event: NewEvent): void;
  /** The step that is being made; null before the first. */
  step(): number | null;
  give(session: LiveSession): void;
}

/** Attempts go to the log of the session that is given; nothing runs in a workspace before there is one. */
export function heldAttempts(): HeldAttempts {
  let live: LiveSession | null = null;
  return {
    take(event) {
      live?.log.append([event]).catch(() => undefined); // the next append meets the same fault, and tells
    },
    step: () => (live === null ? null : live.state().lastStep + (live.isActing() ? 1 : 0)),
    give(session) {
      live = session;
    },
  };
}
