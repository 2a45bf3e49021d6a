import { whyNotAdmitted } from '../stages/reward/admission-gate.ts';
import { findSiblings, type Sibling } from '../stages/reward/sibling-store.ts';
import { findRunState } from '../stages/run/run-store.ts';
import type { AnsweredItem } from './answer-item.ts';
import type { ApiParts } from './api-parts.ts';
import type { RewardItem, StoredSiblings } from './reward-item.ts';
import type { FALLBACKS } from './reward-request.ts';

/**
 * What was paid to the groups of these items by earlier calls of the run. A task that no audit admits tells nothing of its rewards here
 * either.
 */
export async function storedSiblings(
  { database }: Pick<ApiParts, 'database'>,
  run: string | null,
  items: readonly Pick<AnsweredItem, 'groupId'>[],
): Promise<StoredSiblings> {
  // what a paused run earned is given to nobody yet
  const isOpen = run !== null && (await findRunState(database, run)) !== 'paused';
  const groups = !isOpen ? [] : new Set(items.flatMap(({ groupId }) => groupId ?? []));
  const found = new Map<string, readonly Sibling[]>();
  for (const group of groups) {
    const siblings = await findSiblings(database, run as string, group);
    const refused = new Set<string>();
    for (const one of new Map(siblings.map((sibling) => [sibling.taskDigest, sibling])).values()) {
      if ((await whyNotAdmitted(database, one)) !== null) refused.add(one.taskDigest);
    }
    found.set(
      group,
      siblings.filter(({ taskDigest }) => !refused.has(taskDigest)),
    );
  }
  return found;
}

/** Fills `reward` of what is unscored or pending; it stays masked, and its status tells the truth. */
export function withFallback(item: RewardItem, fallback: (typeof FALLBACKS)[number]): RewardItem {
  if (fallback !== 'neutral' || (item.status !== 'unscored' && item.status !== 'pending')) return item;
  const reward = item.group.neutral_reward;
  return { ...item, reward, reward_components: { task: reward } };
}
