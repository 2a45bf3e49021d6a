import { ERRORS, ProctorError } from '../platform/base/errors.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { RewardRow } from '../stages/reward/reward.ts';
import { waitForReward } from '../stages/reward/reward-watch.ts';
import { findLastFailure } from './work-store.ts';

const LOOK_AFTER_MS = 1_000;

/**
 * The reward of a hand-in, however long the work takes. Throws the error of a step after grading that cannot be mended by
 * trying again (a policy that does not load): such work stays due, but nobody should wait for it.
 */
export async function awaitReward(database: Queryable, artifactId: string): Promise<RewardRow> {
  for (;;) {
    const reward = await waitForReward(database, artifactId, performance.now() + LOOK_AFTER_MS);
    if (reward !== null) return reward;
    const failure = await findLastFailure(database, artifactId);
    const stuck = failure !== null && ['judge', 'decide', 'reward'].includes(failure.step);
    if (stuck && ERRORS[failure.code].retry === 'never') throw new ProctorError(failure.code, failure.message);
  }
}
