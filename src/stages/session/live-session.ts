import { ProctorError } from '../../platform/base/errors.ts';
import type { LiveSandbox } from '../../platform/sandbox/live-sandbox.ts';
import { idleCharge } from './charge.ts';
import type { LogEnd, NewEvent } from './event.ts';
import type { HouseRules } from './house-rules.ts';
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
  /** Ends all that runs and completes the record, with what else is known by then: the sandbox's files stay. Asked again, it goes on where it failed. */
  seal(rest: () => Promise<readonly NewEvent[]>): Promise<void>;
  /** Resolves when the step that is being made is over and recorded. */
  idle(): Promise<void>;
}

/** A session that is opened, or gone on with. */
interface OpenedSession {
  readonly row: SessionRow;
  readonly sandbox: LiveSandbox;
  readonly state: SessionState;
  readonly end: LogEnd;
  /** What is enforced while it runs. */
  readonly rules: HouseRules;
}

/** Goes on with a session from a state and the end of its log. */
export function openLiveSession(parts: SessionParts, session: OpenedSession): LiveSession {
  const { row, sandbox, rules } = session;
  const log = openLog(parts, row.id, session.end);
  let { state } = session;
  const steps = openWatched(parts.recorder, sandbox.hostFolder, state.living);
  const turns = openTurns(row.id);
  const recording = { now: Promise.resolve() };
  let isSealed = false;
  /** Events that are known at the end and not stored yet. */
  let left: NewEvent[] | null = null;
  const keep = async (next: SessionState) => {
    state = { ...next, living: [...steps.living()] };
    const isOurs = await saveState(parts.database, { sessionId: row.id, workerId: parts.workerId }, state);
    if (!isOurs) throw new ProctorError('lease-lost', `another process has session ${row.id} by now`);
  };
  const standStill = async (next: SessionState) => {
    await keep(next);
    await sandbox.freeze(); // last: what is stored lets no further step be made
  };
  const chargeIdle = async () => {
    if (turns.isTaken() || isSealed) return;
    await turns.use(async () => {
      const charged = await idleCharge({ row, sandbox, state });
      if (charged === null || isSealed) return;
      await log.append([charged.event]);
      await standStill(charged.state);
    });
  };
  const idle = () => turns.over().then(() => recording.now);
  const stop = (stoppedBy: NonNullable<SessionState['stoppedBy']>) => standStill({ ...state, stoppedBy });
  const held = { parts, row, sandbox, log, keep, keepLiving: () => keep(state), stop, steps, recording, rules };
  return {
    ...{ row, sandbox, log, state: () => state, isActing: turns.isTaken },
    async act(request) {
      if (isSealed) throw new ProctorError('conflict', `session ${row.id} has ended`);
      const { last } = state;
      if (last !== null && last.stepId === request.stepId) return last.observation;
      return turns.take(request.stepId ?? null, () => recording.now.then(() => makeStep({ ...held, state }, request)));
    },
    chargeIdle,
    async seal(rest) {
      isSealed = true;
      await sandbox.endAll();
      await idle();
      left ??= [...(await steps.rest()), ...(await rest())];
      await log.append(left.splice(0));
    },
    idle,
  };
}

/** One thing at a time: a step, which is answered again under its caller's id, or what must not run beside one. */
function openTurns(sessionId: string) {
  let running: Promise<unknown> | null = null;
  let made: { readonly stepId: string; readonly observation: Promise<Observation> } | null = null;
  const use = <T>(work: () => Promise<T>): Promise<T> => {
    const done = work();
    const turn = done.finally(() => {
      if (running === turn) running = null;
    });
    running = turn;
    turn.catch(() => undefined); // who asked is told
    return done;
  };
  return {
    use,
    isTaken: () => running !== null,
    async take(stepId: string | null, make: () => Promise<Observation>): Promise<Observation> {
      if (stepId !== null && made?.stepId === stepId) return made.observation;
      if (running !== null) {
        throw new ProctorError('conflict', `a step of ${sessionId} is being made; act again after it`);
      }
      const observation = use(make);
      made = stepId === null ? null : { stepId, observation };
      observation.catch(() => {
        made = null; // a void step was not made
      });
      return observation;
    },
    over: async () => void (await running?.catch(() => undefined)),
  };
}
