import { setTimeout as pause } from 'node:timers/promises';
import { asProctorError, ProctorError } from '../platform/base/errors.ts';
import { whyNotAdmitted } from '../stages/reward/admission-gate.ts';
import type { RewardRow } from '../stages/reward/reward.ts';
import { findLatestReward } from '../stages/reward/reward-store.ts';
import { countAttempts } from '../stages/reward/sibling-store.ts';
import { cancelled, findRunPlace, type RunPlace } from '../stages/run/run-store.ts';
import type { ApiParts } from './api-parts.ts';
import { type AskedBy, bringHandIn } from './bring-hand-in.ts';
import { type Detail, withDetail } from './reward-detail.ts';
import { failedItem, pendingItem, type RewardFacts, type RewardItem, refusedItem, settledItem } from './reward-item.ts';
import { idOnlySchema, type RewardItemRequest, rewardItemRequestSchema } from './reward-request.ts';

/** How often it is asked whether the work on an item is stuck, and whether a session has ended. */
const STUCK_LOOK_MS = 2_000;
const SESSION_LOOK_MS = 250;

/** What the items of one call have in common. */
export interface RewardCall extends AskedBy {
  /** On the clock of `performance.now()`, as `startedMs`. */
  readonly deadlineMs: number;
  readonly startedMs: number;
  /** What the caller is told; by default what trainers are. */
  readonly detail?: Detail;
  /** Aborted when nobody waits for the answer any more; the work goes on. */
  readonly signal?: AbortSignal;
}

/** What an item is answered with before its siblings are known. */
export type AnsweredItem = Omit<RewardItem, 'group'> & { readonly groupId: string | null };

/** The answer for one item, whatever it is; only `queue-full` rejects, since it is the whole call that is to come again. */
export async function answerItem(parts: ApiParts, raw: unknown, batch: RewardCall): Promise<AnsweredItem> {
  const known = idOnlySchema.safeParse(raw);
  const id = known.data?.id ?? '';
  const groupId = known.data?.group_id ?? null;
  const item = await gradeItem(parts, raw, batch).catch((thrown) => failure(parts, id, thrown));
  const told = withDetail(item, batch.detail ?? parts.trainerDetail);
  return { ...told, groupId, latency_ms: Math.round(performance.now() - batch.startedMs) };
}

/** The answer for something that is handed in, by the deadline of the call; rejects never. */
export function collectItem(
  parts: ApiParts,
  item: { readonly id: string; readonly artifactId: string },
  call: Pick<RewardCall, 'deadlineMs' | 'signal'>,
): Promise<RewardFacts> {
  return settle(parts, item, call).catch((thrown) => failure(parts, item.id, thrown));
}

function failure(parts: ApiParts, id: string, thrown: unknown): RewardFacts {
  const error = asProctorError(thrown);
  if (error.code === 'queue-full') throw error; // of the whole call: what it has handed in is joined when it comes again
  if (error.fault !== 'caller') parts.log.error({ err: error, code: error.code }, 'a reward item failed');
  return failedItem(id, error);
}

async function gradeItem(parts: ApiParts, raw: unknown, call: RewardCall): Promise<RewardFacts> {
  const parsed = rewardItemRequestSchema.safeParse(raw);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ProctorError('bad-request', `the item is not as documented: ${faults.join('; ')}`);
  }
  const { id } = parsed.data;
  const artifactId = await handInBy(parts, parsed.data, call);
  if (artifactId === null) return pendingItem(id, { reason: 'its session has not ended' });
  return collectItem(parts, { id, artifactId }, call);
}

/** The hand-in of an item; null when it is a session's and that does not end before the deadline. */
async function handInBy(parts: ApiParts, item: RewardItemRequest, call: RewardCall): Promise<string | null> {
  for (;;) {
    const artifactId = await bringHandIn(parts, item, call);
    const leftMs = call.deadlineMs - performance.now();
    if (artifactId !== null || leftMs <= 0 || call.signal?.aborted) return artifactId;
    await pause(Math.min(SESSION_LOOK_MS, leftMs));
  }
}

async function settle(
  parts: ApiParts,
  { id, artifactId }: { readonly id: string; readonly artifactId: string },
  { deadlineMs, signal }: Pick<RewardCall, 'deadlineMs' | 'signal'>,
): Promise<RewardFacts> {
  for (let looks = 0; ; looks++) {
    const untilMs = Math.min(deadlineMs, performance.now() + STUCK_LOOK_MS);
    const reward =
      looks === 0 ? await findLatestReward(parts.database, artifactId) : await parts.rewards.wait(artifactId, untilMs);
    const place = await findRunPlace(parts.database, artifactId);
    if (reward !== null && place.state !== 'paused') return itemOf(parts, { id, reward, cached: looks === 0 });
    if (reward === null) await refuseHopeless(parts, artifactId, { place, looks });
    const leftMs = Math.min(deadlineMs - performance.now(), STUCK_LOOK_MS);
    if (leftMs <= 0 || signal?.aborted) return pendingItem(id, { artifactId, ...whyPaused(place) });
    if (reward !== null) await pause(leftMs);
  }
}

/** Rejects with why there will be no reward, where that is known; a first look is not enough to call work stuck. */
async function refuseHopeless(
  parts: ApiParts,
  artifactId: string,
  { place, looks }: { readonly place: RunPlace; readonly looks: number },
): Promise<void> {
  if (place.state === 'cancelled') throw cancelled(place.run);
  const stuck = looks === 0 ? null : await parts.stuck(artifactId);
  if (stuck !== null) throw stuck;
}

/** Why the reward of a paused run is not given out yet. */
function whyPaused({ state, reason }: RunPlace) {
  return state === 'paused' ? { kind: 'proctor:run-paused', reason: reason ?? 'the run is paused' } : {};
}

/** The item of a reward that is there, unless no audit has admitted its task. */
async function itemOf(
  { database }: ApiParts,
  { id, reward, cached }: { readonly id: string; readonly reward: RewardRow; readonly cached: boolean },
): Promise<RewardFacts> {
  const item = settledItem(id, reward, { cached, attempts: await countAttempts(database, reward.artifactId) });
  if (item.status !== 'scored') return item;
  const reason = await whyNotAdmitted(database, reward);
  return reason === null ? item : refusedItem(item, reason);
}
