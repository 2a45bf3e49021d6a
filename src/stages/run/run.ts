import { z } from 'zod';

/** Names that callers give: of runs, groups and policies. */
const nameSchema = z.string().min(1).max(200);

/** What a trainer says of where a session or a hand-in belongs. All of it is the caller's word. */
export const runLabelsSchema = z.object({
  run: nameSchema.nullable().default(null),
  /** The trainer's own step, from 0. */
  step: z.int().min(0).nullable().default(null),
  /** Of the model that acted: behaviour is compared within one. */
  policyVersion: nameSchema.nullable().default(null),
  /** The rollouts of one prompt. */
  group: nameSchema.nullable().default(null),
  phase: z.enum(['train', 'eval']).default('train'),
});
/** Where a session or a hand-in belongs. */
export type RunLabels = Readonly<z.infer<typeof runLabelsSchema>>;

/** Of what belongs to no run. */
export const NO_LABELS: RunLabels = { run: null, step: null, policyVersion: null, group: null, phase: 'train' };

/** `paused`: what it hands in is graded, and its rewards wait for a person. `cancelled`: nothing of it is begun any more. */
export const RUN_STATES = ['active', 'paused', 'cancelled'] as const;

export const runRowSchema = z.object({
  id: nameSchema,
  state: z.enum(RUN_STATES),
  /** Why it is not active. */
  reason: z.string().nullable(),
  createdAt: z.date(),
  changedAt: z.date(),
});
/** A run as it stands. */
export type RunRow = Readonly<z.infer<typeof runRowSchema>>;
