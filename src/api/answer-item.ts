import { z } from 'zod';
import { asProctorError, ProctorError } from '../platform/base/errors.ts';
import { findArtifact } from '../stages/artifact/artifact-store.ts';
import { whyNotAdmitted } from '../stages/reward/admission-gate.ts';
import type { RewardRow } from '../stages/reward/reward.ts';
import { findLatestReward } from '../stages/reward/reward-store.ts';
import type { RunLabels } from '../stages/run/run.ts';
import type { ApiParts } from './api-parts.ts';
import { failedItem, pendingItem, type RewardFacts, type RewardItem, refusedItem, settledItem } from './reward-item.ts';
import { ownName } from './run-labels.ts';
import { safeText } from './safe-text.ts';
import { decodeFiles, sentFilesSchema } from './sent-files.ts';

/** How often it is asked whether the work on an item is stuck. */
const STUCK_LOOK_MS = 2_000;

const itemSchema = z.object({
  id: ownName.describe('your own id, a text or a number; comes back as text'),
  group_id: ownName.optional(),
  submission_id: safeText(100).optional().describe('something handed in before'),
  instance_id: safeText(100).optional().describe('with artifact: the instance that it answers'),
  artifact: z.object({ files: sentFilesSchema }).optional().describe('brought along and handed in now'),
});
const idOnlySchema = z.looseObject({ id: ownName.default(''), group_id: ownName.optional() });

/** What the items of one call have in common. */
export interface RewardCall {
  readonly requestId: string | undefined;
  /** Whose call it is: request ids are a caller's own. */
  readonly keyId: string | undefined;
  readonly deadlineMs: number;
  readonly startedMs: number;
  readonly labels: RunLabels;
}

/** The answer for one item, whatever it is; only `queue-full` rejects, since it is the whole call that is to come again. */
export async function answerItem(
  parts: ApiParts,
  raw: unknown,
  batch: RewardCall,
): Promise<Omit<RewardItem, 'group'> & { groupId: string | null }> {
  const known = idOnlySchema.safeParse(raw);
  const id = known.data?.id ?? '';
  const groupId = known.data?.group_id ?? null;
  const item = await gradeItem(parts, raw, batch).catch((thrown) => {
    const error = asProctorError(thrown);
    if (error.code === 'queue-full') throw error; // of the whole call: what it has handed in is joined when it comes again
    if (error.fault !== 'caller') parts.log.error({ err: error, code: error.code }, 'a reward item failed');
    return failedItem(id, error);
  });
  return { ...item, groupId, latency_ms: Math.round(performance.now() - batch.startedMs) };
}

async function gradeItem(parts: ApiParts, raw: unknown, batch: RewardCall): Promise<RewardFacts> {
  const parsed = itemSchema.safeParse(raw);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ProctorError('bad-request', `the item is not as documented: ${faults.join('; ')}`);
  }
  const { id } = parsed.data;
  const artifactId = await artifactOf(parts, parsed.data, batch);
  const ready = await findLatestReward(parts.database, artifactId);
  if (ready !== null) return admittedItem(parts, settledItem(id, ready, true), ready);
  for (;;) {
    const reward = await parts.rewards.wait(artifactId, Math.min(batch.deadlineMs, performance.now() + STUCK_LOOK_MS));
    if (reward !== null) return admittedItem(parts, settledItem(id, reward, false), reward);
    const stuck = await parts.stuck(artifactId);
    if (stuck !== null) throw stuck;
    if (performance.now() >= batch.deadlineMs) return pendingItem(id);
  }
}

/** The item as it is, unless no audit has admitted its task. */
async function admittedItem({ database }: ApiParts, item: RewardFacts, reward: RewardRow): Promise<RewardFacts> {
  if (item.status !== 'scored') return item;
  const reason = await whyNotAdmitted(database, reward);
  return reason === null ? item : refusedItem(item, reason);
}

async function artifactOf(parts: ApiParts, item: z.infer<typeof itemSchema>, batch: RewardCall): Promise<string> {
  const { submission_id: submissionId, artifact, instance_id: instanceId } = item;
  if (submissionId !== undefined && artifact === undefined)
    return (await findArtifact(parts.database, submissionId)).id;
  if (submissionId !== undefined || artifact === undefined || instanceId === undefined) {
    throw new ProctorError('bad-request', 'give either submission_id, or instance_id and artifact');
  }
  const idempotencyKey =
    batch.requestId === undefined ? undefined : JSON.stringify(['reward', batch.keyId, batch.requestId, item.id]);
  const labels = { ...batch.labels, group: item.group_id ?? null };
  const sealed = await parts.submit({ instanceId, files: decodeFiles(artifact.files), idempotencyKey, labels });
  return sealed.id;
}
