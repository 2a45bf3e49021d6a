import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import { idPattern } from '../../platform/base/ids.ts';

/**
 * Why something in the workspace did not cross, or crossed changed. The first group is ordinary; the second
 * never takes part in grading; the last group is what an attempt on the boundary looks like.
 */
export const LEFT_BEHIND_REASONS = [
  ...['not-declared', 'rubbish', 'link-inside', 'odd-name', 'unreadable'],
  ...['steering', 'report-file'],
  ...['link-escapes', 'special-file', 'setuid-dropped', 'path-escapes', 'changed-while-read', 'other-device'],
] as const;
export type LeftBehindReason = (typeof LEFT_BEHIND_REASONS)[number];

/** Why a hand-in as a whole was refused; it is then graded as failed, never left ungraded. */
export const REFUSAL_REASONS = [
  'too-many-files',
  'too-many-entries',
  'too-large',
  'file-too-large',
  'too-deep',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export const manifestSchema = z.object({
  format: z.literal('proctor/artifact/1'),
  files: z.array(z.object({ path: z.string(), mode: z.int(), size: z.int(), blob: digestSchema })),
  /** At most {@link MAX_LEFT_BEHIND} of them; `counts` has all. */
  leftBehind: z.array(z.object({ path: z.string(), reason: z.enum(LEFT_BEHIND_REASONS), detail: z.string() })),
  counts: z.partialRecord(z.enum(LEFT_BEHIND_REASONS), z.int()),
  refusal: z.object({ reason: z.enum(REFUSAL_REASONS), detail: z.string() }).nullable(),
});

/** What was handed in: the files that crossed, what did not and why. Its digest is what is graded. */
export type Manifest = z.infer<typeof manifestSchema>;
export type ManifestFile = Manifest['files'][number];
export type LeftBehind = Manifest['leftBehind'][number];

/** How many entries left behind a manifest lists, for each reason. */
export const MAX_LEFT_BEHIND = 100;

export const artifactRowSchema = z.object({
  id: z.string().regex(idPattern('sub')),
  instanceId: z.string().regex(idPattern('inst')),
  manifest: manifestSchema,
  digest: digestSchema,
  createdAt: z.date(),
});

/** A sealed artifact: one hand-in for one instance. */
export type ArtifactRow = z.infer<typeof artifactRowSchema>;
