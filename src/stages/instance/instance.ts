import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import { idPattern } from '../../platform/base/ids.ts';

const scalarSchema = z.union([z.string(), z.number()]);
export const parameterValueSchema = z.union([
  scalarSchema,
  z.array(scalarSchema),
  z.array(z.record(z.string(), scalarSchema)),
]);

export type Scalar = z.infer<typeof scalarSchema>;
/** What a parameter can be: a scalar, a list of scalars, or a table. */
export type ParameterValue = z.infer<typeof parameterValueSchema>;

/** A seed: any text of 1 to 200 printable ASCII characters. */
export const seedSchema = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'a seed is 1 to 200 printable ASCII characters');

export const instanceRowSchema = z.object({
  id: z.string().regex(idPattern('inst')),
  taskDigest: digestSchema,
  /** Draws everything of this instance. Whoever knows it knows the hidden values: it never enters a sandbox of the subject's. */
  seed: seedSchema,
  /** Whether Proctor drew the seed; one that a caller chose is as secret as the caller keeps it. */
  seedDrawn: z.boolean(),
  parameters: z.record(z.string(), parameterValueSchema),
  /** Digest of all that the subject can see, and of the task. */
  digest: digestSchema,
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
  readonly files: readonly WorkspaceFile[];
}
