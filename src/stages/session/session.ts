import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import { idPattern } from '../../platform/base/ids.ts';
import { runLabelsSchema } from '../run/run.ts';
import type { TaskDefinition } from '../task/task.ts';
import { observationSchema } from './observation.ts';

/** Who ran the sandbox: Proctor, or a harness that brings its own word of what happened. */
export const SESSION_ORIGINS = ['workspace', 'self-reported'] as const;

/** What one session may use. Null: as much as it likes. */
export const budgetsSchema = z.object({
  steps: z.int().min(1).nullable(),
  /** Milliseconds in which its steps run, all together. */
  activeMs: z.int().min(1),
  /** Output of all its steps. */
  outputBytes: z.int().min(1),
  /** As the harness reports them. */
  tokens: z.int().min(1).nullable(),
});
export type Budgets = Readonly<z.infer<typeof budgetsSchema>>;
export type BudgetName = keyof Budgets;

export const sessionBodySchema = z.object({
  /** What made the sandbox; null where it was not ours. */
  driver: z.string().nullable(),
  snapshot: z.object({ name: z.string(), digest: digestSchema, pinned: z.boolean() }).nullable(),
  /** What records, and how. */
  recorder: z.object({ backend: z.enum(['strace', 'ebpf', 'none']), version: z.string().nullable() }),
  budgets: budgetsSchema,
  /** Hosts that may be reached through the gateway, as `host` or `host:port`. */
  allow: z.array(z.string()),
});
export type SessionBody = Readonly<z.infer<typeof sessionBodySchema>>;

export const sessionRowSchema = z.object({
  id: z.string().regex(idPattern('sess')),
  instanceId: z.string().regex(idPattern('inst')),
  origin: z.enum(SESSION_ORIGINS),
  body: sessionBodySchema,
  labels: runLabelsSchema,
  createdAt: z.date(),
});
/** One session, as it was opened. */
export type SessionRow = Readonly<z.infer<typeof sessionRowSchema>>;

/** Where a workspace lies for those who work in it. */
export const WORK_FOLDER = '/work';

/** How a session ended. */
export const SESSION_OUTCOMES = ['finished', 'abandoned', 'failed'] as const;

export const sessionEndSchema = z.object({
  outcome: z.enum(SESSION_OUTCOMES),
  /** Whose doing a failure was, by evidence from outside. */
  fault: z.enum(['none', 'subject', 'task', 'platform']),
  reason: z.string().nullable(),
  /** Whether the same may go well on another try: what the environment did to it, never what the subject did. */
  retry: z.boolean(),
  steps: z.int(),
  /** How many events its log has, and the digest of the last, which names them all. */
  events: z.int(),
  log: digestSchema,
  /** The whole log as gzip-compressed JSON Lines. */
  archive: digestSchema,
});
export type SessionEnd = Readonly<z.infer<typeof sessionEndSchema>>;

/** What a shell carries from one step to the agent's next. */
export const shellStateSchema = z.object({ cwd: z.string(), env: z.record(z.string(), z.string()) });
export type ShellState = Readonly<z.infer<typeof shellStateSchema>>;

export const usedSchema = z.object({
  steps: z.int(),
  activeMs: z.number(),
  outputBytes: z.int(),
  tokens: z.int(),
});
/** What a session has used of its budgets. */
export type Used = Readonly<z.infer<typeof usedSchema>>;

/** A step whose programs have left something running, with what is needed to read on in its record. */
export const livingStepSchema = z.object({
  step: z.int(),
  messageId: z.string().nullable(),
  sinceMs: z.number(),
  notes: z.array(z.object({ name: z.string(), marker: z.string() })),
});
export type LivingStep = Readonly<z.infer<typeof livingStepSchema>>;

/** How far a live session is; enough to go on with it in another process. */
export const sessionStateSchema = z.object({
  shell: shellStateSchema,
  used: usedSchema,
  /** The number of the last step that was begun; void ones have theirs too, and are not charged. */
  lastStep: z.int(),
  /** CPU of the sandbox that was charged, in milliseconds. */
  chargedCpuMs: z.number(),
  living: z.array(livingStepSchema),
  /** The rule whose breaking lets no further step be made. */
  stoppedBy: z.object({ rule: z.string(), about: z.string() }).nullable().default(null),
  /** The last step under a caller's id, to be answered again; also by another process. */
  last: z.object({ stepId: z.string(), observation: observationSchema }).nullable(),
});
export type SessionState = Readonly<z.infer<typeof sessionStateSchema>>;

const NOTHING_USED: Used = { steps: 0, activeMs: 0, outputBytes: 0, tokens: 0 };

/** Where every session begins, but for its shell. */
export const FIRST_STATE: Omit<SessionState, 'shell'> = {
  ...{ used: NOTHING_USED, lastStep: 0, chargedCpuMs: 0, living: [], last: null, stoppedBy: null },
};

/** How long a session may be open, beyond the time in which its steps run: an agent thinks. */
const THINKING_FACTOR = 10;
/** Steps whose output is kept whole. */
const OUTPUT_STEPS = 16;

/** What a task gives each session. */
export function budgetsOf({ agent, proctor }: TaskDefinition): Budgets {
  const { steps = null, tokens = null } = proctor.budgets;
  const outputBytes = proctor.max_output_bytes * OUTPUT_STEPS;
  return { steps, tokens, activeMs: Math.ceil(agent.timeout_sec * 1000), outputBytes };
}

/** How long a session's sandbox may be there, in milliseconds. */
export const lifeMsOf = ({ activeMs }: Budgets): number => Math.min(activeMs * THINKING_FACTOR, 86_400_000);

/** The first budget that is used up, or null. */
export function reachedBudget(budgets: Budgets, used: Used): BudgetName | null {
  const names: readonly BudgetName[] = ['steps', 'activeMs', 'outputBytes', 'tokens'];
  return names.find((name) => budgets[name] !== null && used[name] >= (budgets[name] as number)) ?? null;
}
