import type { Queryable } from '../../platform/db/database.ts';
import type { RewardRow } from './reward.ts';
import { findLatestReward } from './reward-store.ts';

const FIRST_LOOK_MS = 5;
const LONGEST_PAUSE_MS = 100;

/** The reward of a hand-in, or null when it is not there before the deadline. */
export async function waitForReward(
  database: Queryable,
  artifactId: string,
  deadlineMs: number,
): Promise<RewardRow | null> {
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const reward = await findLatestReward(database, artifactId);
    if (reward !== null || performance.now() >= deadlineMs) return reward;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, Math.max(1, deadlineMs - performance.now()))));
  }
}
