import { canonicalJson } from '../../platform/base/canonical-json.ts';
import { asProctorError } from '../../platform/base/errors.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { LiveSandbox } from '../../platform/sandbox/live-sandbox.ts';
import { chargeOf } from './charge.ts';
import type { StepContext } from './environment.ts';
import type { NewEvent } from './event.ts';
import { type BrokenRule, enforcedEvent, type HouseRules } from './house-rules.ts';
import type { ActionResult, Observation } from './observation.ts';
import { runProgram, type WatchedProgram } from './run-program.ts';
import {
  type BudgetName,
  reachedBudget,
  type SessionRow,
  type SessionState,
  type ShellState,
  type Used,
} from './session.ts';
import type { SessionLog } from './session-log.ts';
import type { ActRequest, SessionParts } from './session-parts.ts';
import { showOutput } from './show-output.ts';
import type { WatchedSteps } from './watched-steps.ts';

/** Parameters and data that stand in the log themselves, in characters of JSON; larger ones are kept by digest. */
const MOST_IN_LOG = 16_384;

/** What a step is made with. */
export interface StepParts {
  readonly parts: SessionParts;
  readonly row: SessionRow;
  readonly sandbox: LiveSandbox;
  readonly log: SessionLog;
  readonly state: SessionState;
  /** Stores how far the session is. */
  readonly keep: (state: SessionState) => Promise<void>;
  /** Stores which steps have left something running. */
  readonly keepLiving: () => Promise<void>;
  readonly steps: WatchedSteps;
  readonly rules: HouseRules;
  /** Lets no further step be made, and everything stand still. */
  readonly stop: (by: NonNullable<SessionState['stoppedBy']>) => Promise<void>;
  /** Holds what goes on after the observation was given. */
  readonly recording: { now: Promise<void> };
}

/** Makes one step and gives what came of it; see `LiveSession.act`. */
export async function makeStep(made: StepParts, request: ActRequest): Promise<Observation> {
  const { row, state, keep } = made;
  const used = { ...state.used, tokens: state.used.tokens + request.tokens };
  if (state.stoppedBy !== null) return stopped(made, request, used);
  const reached = reachedBudget(row.body.budgets, used);
  if (reached === null) {
    const broken = made.rules.ofAction(request.action);
    return broken === null ? stepWithin(made, request, used) : refusedStep(made, { request, used, broken });
  }
  if (request.tokens > 0) await keep({ ...state, used });
  const error = { code: 'budget', message: `the session has used up its budget of ${reached}` } as const;
  const result: ActionResult = { status: 'budget-reached', error, outputs: [], data: {} };
  return observation(row, { step: null, request, result, wallMs: 0, used });
}

/** No step of a session that broke a rule is made; it can be finished. */
function stopped({ row, state }: StepParts, request: ActRequest, used: Used): Observation {
  const { rule, about } = state.stoppedBy ?? { rule: '', about: '' };
  const error = { code: 'refused', message: `the session was stopped by rule ${rule}: ${about}` } as const;
  const result: ActionResult = { status: 'stopped', error, outputs: [], data: {} };
  return observation(row, { step: null, request, result, wallMs: 0, used });
}

/** A step that breaks a rule before it is made: it counts, and nothing runs. */
async function refusedStep(
  made: StepParts,
  { request, used, broken }: { readonly request: ActRequest; readonly used: Used; readonly broken: BrokenRule },
): Promise<Observation> {
  const { row, log, state } = made;
  const step = state.lastStep + 1;
  const place = { step, messageId: request.messageId, at: new Date() };
  const { environment, action } = request.action;
  const parameters = await shortOr(made.parts.blobs, 'parameters', request.action.parameters);
  const error = { code: 'refused', message: `rule ${broken.rule}: ${broken.about}` } as const;
  const result: ActionResult = { status: 'failed', error, outputs: [], data: {} };
  const next = { ...used, steps: used.steps + 1 };
  const seen = observation(row, { step, request, result, wallMs: 0, used: next });
  await log.append([
    { ...place, type: 'step.began', outcome: 'ok', detail: { environment, action, ...parameters } },
    enforcedEvent(broken, place),
    { ...place, type: 'step.ended', outcome: 'failed', detail: { error, outputs: [], data: {}, wall_ms: 0 } },
  ]);
  const last = typeof request.stepId === 'string' ? { stepId: request.stepId, observation: seen } : null;
  await made.keep({ ...state, used: next, lastStep: step, last });
  if (broken.enforcement === 'end') await made.stop(broken);
  return seen;
}

async function stepWithin(made: StepParts, request: ActRequest, used: Used): Promise<Observation> {
  const { row, log, state } = made;
  const step = state.lastStep + 1;
  const place = { step, messageId: request.messageId };
  const { environment, action } = request.action;
  const parameters = await shortOr(made.parts.blobs, 'parameters', request.action.parameters);
  const began = {
    ...{ environment, action, ...parameters },
    ...(request.stepId ? { step_id: request.stepId } : {}),
    ...(request.tokens > 0 ? { tokens: request.tokens } : {}),
  };
  await log.append([{ ...place, type: 'step.began', at: new Date(), outcome: 'ok', detail: began }]);
  const acting = openContext(made, { step, request, used });
  const startedMs = performance.now();
  const result = await request.action.kind.run(acting.context, request.action.parameters).catch(async (thrown) => {
    const { code, message } = asProctorError(thrown);
    await log.append([{ ...place, type: 'step.void', at: new Date(), outcome: code, detail: { message } }]);
    await made.keep({ ...state, lastStep: step });
    throw thrown;
  });
  const wallMs = performance.now() - startedMs;
  const { charge, chargedCpuMs } = await chargeOf(made, wallMs);
  const next = acting.usedAfter(charge);
  const reached = reachedBudget(row.body.budgets, next);
  await log.append([
    ...acting.notes,
    {
      ...place,
      type: 'step.ended',
      at: new Date(),
      outcome: result.status,
      detail: await endOf(made.parts.blobs, result, wallMs),
    },
    ...(reached === null
      ? []
      : [{ ...place, type: 'budget.reached', at: new Date(), outcome: reached, detail: { used: next } }]),
  ]);
  const seen = observation(row, { step, request, result, wallMs, used: next });
  const last = typeof request.stepId === 'string' ? { stepId: request.stepId, observation: seen } : null;
  await made.keep({ ...state, shell: acting.shell(), used: next, lastStep: step, chargedCpuMs, last });
  made.recording.now = recordStep(made, place, acting.programs);
  return seen;
}

/** What an action is given, and what it does with it. */
function openContext(
  { parts, row, sandbox, state }: StepParts,
  given: { step: number; request: ActRequest; used: Used },
) {
  const { step, request, used } = given;
  const { budgets } = row.body;
  const programs: WatchedProgram[] = [];
  const notes: NewEvent[] = [];
  let outputBytes = 0;
  let { shell } = state;
  const context: StepContext = {
    sandbox,
    shell,
    setShell(next: ShellState) {
      shell = next;
    },
    async run(program) {
      const left = { wallMs: budgets.activeMs - used.activeMs, outputBytes: budgets.outputBytes - used.outputBytes };
      const onOutput = request.onOutput ?? (() => undefined);
      const name = `${step}-${programs.length}`;
      const watched = await runProgram({ sandbox, recorder: parts.recorder, name, left, onOutput }, program);
      programs.push(watched);
      outputBytes += watched.ran.stdout.length + watched.ran.stderr.length;
      return watched.ran;
    },
    show: (name, bytes) => showOutput(parts.blobs, name, bytes),
    note: (event) => void notes.push({ ...event, step, messageId: request.messageId, at: new Date() }),
  };
  const usedAfter = (activeMs: number): Used => ({
    steps: used.steps + 1,
    activeMs: used.activeMs + activeMs,
    outputBytes: used.outputBytes + outputBytes,
    tokens: used.tokens,
  });
  return { context, programs, notes, usedAfter, shell: () => shell };
}

async function recordStep(
  made: StepParts,
  place: { readonly step: number; readonly messageId: string | null },
  programs: readonly WatchedProgram[],
): Promise<void> {
  const { log, steps, parts, row, state, keepLiving } = made;
  if (programs.length === 0) return;
  try {
    const recorded = await steps.first(place, programs);
    const broken = made.rules.ofEvents(recorded);
    await log.append([...recorded, ...(broken === null ? [] : [enforcedEvent(broken, place)])]);
    if (broken !== null) await made.stop(broken);
    if (steps.living().length > state.living.length) await keepLiving();
  } catch (thrown) {
    parts.log.error({ err: thrown, session: row.id, step: place.step }, 'what a step did could not be stored');
    const detail = { message: asProctorError(thrown).message };
    await log
      .append([{ ...place, type: 'step.recorded', at: new Date(), outcome: 'incomplete', detail }])
      .catch(() => undefined);
  }
}

/** Something as the log has it: itself, or its digest. */
async function shortOr(blobs: Blobs, name: string, value: unknown): Promise<Readonly<Record<string, unknown>>> {
  const text = canonicalJson(value);
  if (text.length <= MOST_IN_LOG) return { [name]: value };
  return { [`${name}_sha256`]: await blobs.put(Buffer.from(text)) };
}

async function endOf(blobs: Blobs, { error, outputs, data }: ActionResult, wallMs: number) {
  const kept = outputs.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 }));
  const said = await shortOr(blobs, 'data', data);
  return { error, outputs: kept, ...said, wall_ms: Math.round(wallMs) };
}

function observation(
  { body }: SessionRow,
  made: { step: number | null; request: ActRequest; result: ActionResult; wallMs: number; used: Used },
): Observation {
  const { step, request, result, wallMs, used } = made;
  const { budgets } = body;
  const reached: BudgetName | null = reachedBudget(budgets, used);
  return {
    ...{ step, environment: request.action.environment, action: request.action.action },
    ...{ status: result.status, error: result.error, outputs: [...result.outputs], data: { ...result.data } },
    feedback: {
      wall_ms: Math.round(wallMs * 10) / 10,
      steps_left: budgets.steps === null ? null : Math.max(0, budgets.steps - used.steps),
      active_ms_left: Math.max(0, Math.floor(budgets.activeMs - used.activeMs)),
      budget_reached: reached,
    },
  };
}
