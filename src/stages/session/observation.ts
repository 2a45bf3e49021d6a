import { z } from 'zod';

/** How one output of a step is shown: whole, or its beginning and its end around a marker. */
export const shownSchema = z.object({
  name: z.enum(['stdout', 'stderr', 'content']),
  text: z.string(),
  /** Of the whole. */
  bytes: z.int(),
  /** Bytes that are not shown. */
  left_out: z.int(),
  /** The whole, by digest: kept with the session. Null when it is empty. */
  sha256: z.string().nullable(),
});
export type Shown = Readonly<z.infer<typeof shownSchema>>;

/** What a step came to, in one word, whatever the environment. */
export const STEP_STATUSES = [
  ...['ok', 'failed', 'timed-out', 'out-of-memory', 'too-much-output', 'stopped', 'budget-reached'],
] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

/** Why an action did not do what it says, for programs; the message is for agents. */
export const ACTION_ERRORS = [
  ...['exit-status', 'signalled', 'not-found', 'not-a-file', 'too-large', 'no-match', 'many-matches', 'refused'],
  ...['limit', 'budget'],
] as const;
export type ActionErrorCode = (typeof ACTION_ERRORS)[number];

export const observationSchema = z.object({
  /** From 1; null where the action was not made (a budget was reached before it). */
  step: z.int().nullable(),
  environment: z.string(),
  action: z.string(),
  status: z.enum(STEP_STATUSES),
  error: z.object({ code: z.enum(ACTION_ERRORS), message: z.string() }).nullable(),
  outputs: z.array(shownSchema),
  /** What the environment says beyond that; its shape is the action's. */
  data: z.record(z.string(), z.unknown()),
  feedback: z.object({
    wall_ms: z.number(),
    /** Null: without bound. */
    steps_left: z.int().nullable(),
    active_ms_left: z.int(),
    /** The budget that is used up; further actions are not made. */
    budget_reached: z.string().nullable(),
  }),
});
/** What a harness gets for every action, in one shape. */
export type Observation = Readonly<z.infer<typeof observationSchema>>;

/** What an environment says of one action; the rest of an observation is the same for all. */
export interface ActionResult {
  readonly status: StepStatus;
  readonly error: Observation['error'];
  readonly outputs: readonly Shown[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** An action that did what it says. */
export function done(data: ActionResult['data'], outputs: readonly Shown[] = []): ActionResult {
  return { status: 'ok', error: null, outputs, data };
}

/** An action that could not do what it says. */
export function failed(code: ActionErrorCode, message: string): ActionResult {
  return { status: 'failed', error: { code, message }, outputs: [], data: {} };
}
