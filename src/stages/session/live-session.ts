import { ProctorError } from '../../platform/base/errors.ts';
import type { LiveSandbox } from '../../platform/sandbox/live-sandbox.ts';
import { idleCharge } from './charge.ts';
import type { LogEnd } from './event.ts';
import { makeStep } from './make-step.ts';
import type { Observation } from './observation.ts';
import type { SessionRow, SessionState } from './session.ts';
import { openLog, type SessionLog } from './session-log.ts';
import type { ActRequest, SessionParts } from './session-parts.ts';
import { saveState } from './session-store.ts';
import { openWatched } from './watched-steps.ts';

/** A session whose sandbox this process has. */
export interface LiveSession {
  readonly row: SessionRow;
  readonly sandbox: LiveSandbox;
  readonly log: SessionLog;
  state(): SessionState;
  /** Whether a step is being made. */
  isActing(): boolean;
  /**
   * Makes one step. `conflict` while another is being made. What the agent's program did is in the observation; a rejection is a
   * fault of the platform, and the step is void.
   */
  act(request: ActRequest): Promise<Observation>;
  /** Charges what programs have computed since the last step; where that uses the session's time up, they stand still. */
  chargeIdle(): Promise<void>;
  /** Ends all that runs and completes the record: the sandbox's files stay. */
  seal(): Promise<LogEnd>;
  /** Resolves when the step that is being made is over and recorded. */
  idle(): Promise<void>;
}

/** A session that is opened, or gone on with. */
interface OpenedSession {
  readonly row: SessionRow;
  readonly sandbox: LiveSandbox;
  readonly state: SessionState;
  readonly end: LogEnd;
}

/** Goes on with a session from a state and the end of its log. */
export function openLiveSession(parts: SessionParts, session: OpenedSession): LiveSession {
  const { row, sandbox } = session;
  const log = openLog(parts, row.id, session.end);
  let { state } = session;
  const steps = openWatched(parts.recorder, sandbox.hostFolder, state.living);
  const turns = openTurns(row.id);
  let recording: Promise<void> = Promise.resolve();
  let isSealed = false;
  const keep = async (next: SessionState) => {
    state = { ...next, living: [...steps.living()] };
    const isOurs = await saveState(parts.database, { sessionId: row.id, workerId: parts.workerId }, state);
    if (!isOurs) throw new ProctorError('lease-lost', `another process has session ${row.id} by now`);
  };
  const keepLiving = () => keep(state);
  const record = (work: Promise<void>) => {
    recording = work;
  };
  const step = (request: ActRequest) =>
    makeStep({ parts, row, sandbox, log, state, keep, keepLiving, steps, record }, request);
  return {
    ...{ row, sandbox, log, state: () => state, isActing: turns.isTaken },
    async act(request) {
      if (isSealed) throw new ProctorError('conflict', `session ${row.id} has ended`);
      return turns.take(request.stepId ?? null, () => recording.then(() => step(request)));
    },
    async chargeIdle() {
      if (turns.isTaken() || isSealed) return;
      const charged = await idleCharge({ row, sandbox, state });
      if (charged === null || turns.isTaken() || isSealed) return;
      await sandbox.freeze();
      await log.append([charged.event]);
      await keep(charged.state);
    },
    async seal() {
      isSealed = true;
      await sandbox.endAll();
      await turns.over();
      await recording;
      return log.append(await steps.rest());
    },
    async idle() {
      await turns.over();
      await recording;
    },
  };
}

/** One step at a time; the last is answered again under its caller's id. */
function openTurns(sessionId: string) {
  let running: Promise<unknown> | null = null;
  let last: { readonly stepId: string | null; readonly made: Promise<Observation> | null } = {
    stepId: null,
    made: null,
  };
  return {
    isTaken: () => running !== null,
    async take(stepId: string | null, make: () => Promise<Observation>): Promise<Observation> {
      if (stepId !== null && last.stepId === stepId && last.made !== null) return last.made;
      if (running !== null) {
        throw new ProctorError('conflict', `a step of ${sessionId} is being made; act again after it`);
      }
      const made = make();
      last = { stepId, made };
      running = made.finally(() => {
        running = null;
      });
      running.catch(() => undefined); // who asked is told
      return made;
    },
    over: async () => void (await running?.catch(() => undefined)),
  };
}
