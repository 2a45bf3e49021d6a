import { setTimeout as pause } from 'node:timers/promises';
import type { NewEvent } from './event.ts';
import { eventsOf } from './record-events.ts';
import type { WatchedProgram } from './run-program.ts';

/** Events of one step that are kept. */
const MOST_EVENTS = 1_000;
/** A tracer ends some milliseconds after what it traced. */
const TRACER_MS = 100;

/** One step's watched programs, until what they left running is gone. */
export interface WatchedStep {
  readonly step: number;
  readonly messageId: string | null;
  readonly programs: readonly WatchedProgram[];
  /** Until when its record is in the log, epoch milliseconds. */
  sinceMs: number;
}

/** What steps did, as it was seen from outside. */
export interface WatchedSteps {
  /** The events of a step whose programs have ended; what they left running may make more. */
  first(watched: WatchedStep): Promise<readonly NewEvent[]>;
  /** What those did that lived on; all of it has ended. */
  rest(): Promise<readonly NewEvent[]>;
}

/** Steps of one session. */
export function openWatched(): WatchedSteps {
  const living: WatchedStep[] = [];
  const eventsUntilNow = async (watched: WatchedStep, isLast: boolean): Promise<readonly NewEvent[]> => {
    const { step, messageId, programs, sinceMs } = watched;
    const nowMs = Date.now();
    const events = await Promise.all(
      programs.map(async ({ watch, running }) => {
        const record = await watch.read({ maxEvents: MOST_EVENTS, mayLive: !isLast });
        return eventsOf({ record, refused: running.refused(), step, messageId, sinceMs, isLast });
      }),
    );
    watched.sinceMs = nowMs;
    return events.flat();
  };
  return {
    async first(watched) {
      const settled = Promise.all(watched.programs.map(({ running }) => running.gone));
      const isLast = await Promise.race([settled.then(() => true), pause(TRACER_MS, false)]);
      if (!isLast) living.push(watched);
      return eventsUntilNow(watched, isLast);
    },
    async rest() {
      const all = await Promise.all(living.splice(0).map((watched) => eventsUntilNow(watched, true)));
      return all.flat();
    },
  };
}
