import { ProctorError } from '../../platform/base/errors.ts';
import type { LiveSandbox } from '../../platform/sandbox/live-sandbox.ts';
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
  /** Ends all that runs and completes the record: the sandbox's files stay. */
  seal(): Promise<LogEnd>;
  /** Resolves when the step that is being made is over and recorded. */
  idle(): Promise<void>;
}

/** The last step, to be answered again under its caller's id. */
type MadeStep =
  | { readonly stepId: string; readonly made: Promise<Observation> }
  | { readonly stepId: null; readonly made: null };

/** Goes on with a session from a state and the end of its log. */
export function openLiveSession(
  parts: SessionParts,
  session: {
    readonly row: SessionRow;
    readonly sandbox: LiveSandbox;
    readonly state: SessionState;
    readonly end: LogEnd;
  },
): LiveSession {
  const { row, sandbox } = session;
  const log = openLog(parts, row.id, session.end);
  const steps = openWatched();
  let { state } = session;
  let acting: Promise<Observation> | null = null;
  let last: MadeStep = { stepId: null, made: null };
  let recording: Promise<void> = Promise.resolve();
  let isSealed = false;
  const keep = async (next: SessionState) => {
    state = next;
    const isOurs = await saveState(parts.database, { sessionId: row.id, workerId: parts.workerId }, next);
    if (!isOurs) throw new ProctorError('lease-lost', `another process has session ${row.id} by now`);
  };
  const record = (work: Promise<void>) => {
    recording = work;
  };
  const step = (request: ActRequest) => makeStep({ parts, row, sandbox, log, state, keep, steps, record }, request);
  return {
    ...{ row, sandbox, log, state: () => state, isActing: () => acting !== null },
    async act(request) {
      if (last.made !== null && last.stepId === request.stepId) return last.made;
      if (acting !== null) throw new ProctorError('conflict', `a step of ${row.id} is being made; act again after it`);
      if (isSealed) throw new ProctorError('conflict', `session ${row.id} has ended`);
      const made = recording.then(() => step(request));
      last = typeof request.stepId === 'string' ? { stepId: request.stepId, made } : { stepId: null, made: null };
      acting = made.finally(() => {
        acting = null;
      });
      return acting;
    },
    async seal() {
      isSealed = true;
      await sandbox.endAll();
      await acting?.catch(() => undefined);
      await recording;
      return log.append(await steps.rest());
    },
    async idle() {
      await acting?.catch(() => undefined);
      await recording;
    },
  };
}
