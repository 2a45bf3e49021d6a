import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import { idPattern } from '../../platform/base/ids.ts';
import type { Decoy } from './decoy.ts';

const scalarSchema = z.union([z.string(), z.number()]);
export const parameterValueSchema = z.union([
  scalarSchema,
  z.array(scalarSchema),
  z.array(z.record(z.string(), scalarSchema)),
]);

export type Scalar = z.infer<typeof scalarSchema>;
/** What a parameter can be: a scalar, a list of scalars, or a table. */
export type ParameterValue = z.infer<typeof parameterValueSchema>;
/** Parameters by name. */
export type Parameters = Readonly<Record<string, ParameterValue>>;

const parametersSchema = z.record(z.string(), parameterValueSchema);

/** A seed: any text of 1 to 200 printable ASCII characters. */
export const seedSchema = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'a seed is 1 to 200 printable ASCII characters');

/** The way in which instances are made now; 1 had no decoys, and drew what is hidden from the seed. */
export const INSTANCE_FORMAT = 2;

export const instanceRowSchema = z.object({
  id: z.string().regex(idPattern('inst')),
  taskDigest: digestSchema,
  /** Draws everything of this instance that the subject may see. It never enters a sandbox of the subject's. */
  seed: seedSchema,
  /** Whether Proctor drew the seed; one that a caller chose is as secret as the caller keeps it. */
  seedDrawn: z.boolean(),
  parameters: parametersSchema,
  /** Digest of all that the subject can see, and of the task. */
  digest: digestSchema,
  /** How its bytes were made; see {@link INSTANCE_FORMAT}. */
  format: z.int().min(1),
  /** Draws the hidden inputs, together with the artifact's digest; null in format 1. */
  drawSecret: z.string().nullable(),
  /** What was drawn beside the parameters. */
  draws: z.object({
    /** The level of difficulty, where the task has any. */
    difficulty: z.string().nullable().default(null),
    /** How often parameters were drawn until the task's constraints held. */
    tries: z.int().default(1),
    /** What the task's own generator gave; part of the parameters. */
    generated: parametersSchema.nullable().default(null),
  }),
});

/** A task made concrete by a seed, as it is stored. */
export type InstanceRow = z.infer<typeof instanceRowSchema>;

/** One file of the workspace at the start. */
export interface WorkspaceFile {
  readonly path: string;
  readonly mode: number;
  readonly bytes: Buffer;
}

/** An instance with what the subject sees of it. */
export interface Instance extends Omit<InstanceRow, 'id'> {
  readonly instruction: string;
  /** With the files of decoys. */
  readonly files: readonly WorkspaceFile[];
  /** Variables of the workspace's shell. */
  readonly environment: Readonly<Record<string, string>>;
  readonly decoys: readonly Decoy[];
}

/** What instances are asked for: to learn from, or only to be measured by. */
export const PHASES = ['train', 'eval'] as const;
export type Phase = (typeof PHASES)[number];

/** What a service is asked to make an instance from. */
export interface InstanceRequest {
  readonly seed?: string | undefined;
  readonly difficulty?: string | undefined;
  readonly phase: Phase;
}
