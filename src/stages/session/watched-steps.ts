import { setTimeout as pause } from 'node:timers/promises';
import type { StepRecord } from '../../platform/recorder/recorded-event.ts';
import type { Recorder, StepWatch } from '../../platform/recorder/recorder.ts';
import type { RunningStep } from '../../platform/sandbox/live-sandbox.ts';
import type { NewEvent } from './event.ts';
import { eventsOf } from './record-events.ts';
import type { WatchedProgram } from './run-program.ts';
import type { LivingStep } from './session.ts';

/** Events of one step that are kept. */
const MOST_EVENTS = 1_000;
/** A tracer ends some milliseconds after what it traced. */
const TRACER_MS = 100;

/** What is watched of a program, also by a process that did not start it. */
interface Watched {
  readonly watch: StepWatch;
  /** Null: another process started it, and its denied calls are told to nobody. */
  readonly running: RunningStep | null;
}

/** One step's watched programs, until what they left running is gone. */
interface WatchedStep {
  readonly step: number;
  readonly messageId: string | null;
  readonly programs: readonly Watched[];
  /** Until when its record is in the log, epoch milliseconds. */
  sinceMs: number;
}

/** What steps did, as it was seen from outside. */
export interface WatchedSteps {
  /** The events of a step whose programs have ended; what they left running may make more. */
  first(
    place: Pick<WatchedStep, 'step' | 'messageId'>,
    programs: readonly WatchedProgram[],
  ): Promise<readonly NewEvent[]>;
  /** What those did that lived on; all of it has ended. */
  rest(): Promise<readonly NewEvent[]>;
  /** Those that live on, for another process that goes on with them. */
  living(): readonly LivingStep[];
}

/** Steps of one session; those that an earlier process began live on. */
export function openWatched(recorder: Recorder, folder: string, earlier: readonly LivingStep[]): WatchedSteps {
  const living: WatchedStep[] = earlier.map(({ notes, ...rest }) => ({
    ...rest,
    programs: notes.map((note) => ({ watch: recorder.resume(folder, note), running: null })),
  }));
  return {
    async first(place, programs) {
      const settled = Promise.all(programs.map(({ running }) => running.gone));
      const isLast = await Promise.race([settled.then(() => true), pause(TRACER_MS, false)]);
      const watched: WatchedStep = { ...place, programs, sinceMs: 0 };
      if (!isLast) living.push(watched);
      return eventsUntilNow(watched, isLast);
    },
    async rest() {
      const all = await Promise.all(living.splice(0).map((watched) => eventsUntilNow(watched, true)));
      return all.flat();
    },
    living: () =>
      living.map(({ step, messageId, sinceMs, programs }) => ({
        ...{ step, messageId, sinceMs, notes: programs.map(({ watch }) => watch.note) },
      })),
  };
}

async function eventsUntilNow(watched: WatchedStep, isLast: boolean): Promise<readonly NewEvent[]> {
  const { step, messageId, programs, sinceMs } = watched;
  const nowMs = Date.now();
  const events = await Promise.all(
    programs.map(async ({ watch, running }) => {
      const record = await watch.read({ maxEvents: MOST_EVENTS, mayLive: !isLast, sinceMs });
      if (isLast) await watch.clear();
      const refused = running?.refused() ?? { calls: [], more: 0 };
      const isTold = running !== null && (!isLast || running.wasFollowed());
      return eventsOf({ record: isTold ? record : untold(record), refused, step, messageId, sinceMs, isLast });
    }),
  );
  watched.sinceMs = nowMs;
  return events.flat();
}

/** A record of which the second source is missing. */
function untold(record: StepRecord): StepRecord {
  return { ...record, complete: false, problems: [...record.problems, 'its denied calls were not told to the end'] };
}
