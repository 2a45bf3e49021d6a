import { z } from 'zod';

/** A step of a session that ran elsewhere, in a neutral shape; what is left out is not known, and never counted as nothing. */
export const trajectoryStepSchema = z.object({
  command: z.string(),
  /** The file that the step acts on, where it does not stand in the command (an editor's open file). */
  target: z.string().optional(),
  exitCode: z.int().optional(),
  outputBytes: z.number().nonnegative().optional(),
  startMs: z.number().optional(),
  endMs: z.number().optional(),
  /** How long what the agent said before it was; only for an estimate of tokens where nobody counted them. */
  thoughtChars: z.number().nonnegative().optional(),
  outputTokens: z.number().nonnegative().optional(),
  /** System calls in their order, by name or number, where somebody traced them. */
  calls: z.array(z.string()).optional(),
});

export const trajectorySchema = z.object({
  steps: z.array(trajectoryStepSchema),
  /** What was handed in, as a diff or as text. */
  patch: z.string().optional(),
  patchBytes: z.number().nonnegative().optional(),
  /** Whether its tests passed at the end. */
  passed: z.boolean().optional(),
});

/** A session that ran elsewhere; see the schema. */
export type Trajectory = Readonly<z.infer<typeof trajectorySchema>>;

/** One step of it. */
export type TrajectoryStep = Trajectory['steps'][number];
