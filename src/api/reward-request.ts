import { z } from 'zod';
import { seedSchema } from '../stages/instance/instance.ts';
import { phaseSchema } from './phase.ts';
import { ownName, runFields } from './run-labels.ts';
import { safeText } from './safe-text.ts';
import { sentFilesSchema } from './sent-files.ts';

/** Items of one call. */
export const MAX_ITEMS = 1_024;
const DEFAULT_DEADLINE_MS = 60_000;
/** The longest that a call waits. */
export const MAX_WAIT_MS = 600_000;

/** What fills `reward` where there is none. */
export const FALLBACKS = ['none', 'zero', 'neutral'] as const;

/** The body of `POST /v1/rewards`. Item shapes are checked one by one, so that one bad item never fails the batch. */
export const rewardRequestSchema = z.object({
  request_id: safeText(200).optional().describe('the same id joins the running work'),
  phase: phaseSchema,
  run_id: runFields.run_id,
  step: runFields.step,
  policy_version: runFields.policy_version,
  deadline_ms: z
    .number()
    .min(0)
    .max(MAX_WAIT_MS)
    .default(DEFAULT_DEADLINE_MS)
    .describe('what is not graded by then is answered as pending'),
  fallback: z
    .enum(FALLBACKS)
    .default('none')
    .describe(
      'what stands in `reward` of unscored and pending items; they stay masked: neutral is the mean of their siblings',
    ),
  items: z.array(z.unknown()).max(MAX_ITEMS),
});

const trajectorySchema = z
  .object({ format: safeText(100), inline: z.unknown().optional(), uri: z.unknown().optional() })
  .refine(({ uri }) => uri === undefined, {
    error: 'a trajectory by uri is not fetched: send it inline, or leave it out',
  });

/** One item of it. */
export const rewardItemRequestSchema = z.object({
  id: ownName.describe('your own id, a text or a number; comes back as text'),
  group_id: ownName.optional(),
  group_size: z.int().min(1).max(1_000_000).optional(),
  attempt: z.int().min(0).max(1_000_000).optional(),
  submission_id: safeText(100).optional().describe('something handed in before'),
  session_id: safeText(100).optional().describe('what this session handed in when it ended'),
  instance_id: safeText(100).optional().describe('the instance that artifact, patch or response answers'),
  task: safeText(200).optional().describe('instead of it: name or digest of a task, of which a new instance is made'),
  seed: seedSchema.optional().describe('of that new instance'),
  artifact: z.object({ files: sentFilesSchema }).optional().describe('brought along and handed in now'),
  patch: z.string().min(1).optional().describe('a unified diff on the files that the instance starts with'),
  response: z
    .unknown()
    .optional()
    .describe('a text: its last fenced block of code, or the whole, is the one file that the task takes'),
  prompt: z.unknown().optional(),
  label: z.unknown().optional(),
  metadata: z.unknown().optional(),
  trajectory: trajectorySchema.optional().describe('kept as the caller’s word; nothing is graded by it'),
  stop: z.object({ status: safeText(200).optional(), exception_type: safeText(200).nullish() }).optional(),
});
/** An item as it is after its shape was checked. */
export type RewardItemRequest = z.infer<typeof rewardItemRequestSchema>;

/** What is known of an item whatever its shape. */
export const idOnlySchema = z.looseObject({ id: ownName.default(''), group_id: ownName.optional() });
