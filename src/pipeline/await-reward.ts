import { ERRORS, ProctorError } from '../platform/base/errors.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { RewardRow } from '../stages/reward/reward.ts';
import { waitForReward } from '../stages/reward/reward-watch.ts';
import { findLastFailure } from './work-store.ts';

const LOOK_AFTER_MS = 1_000;

/** The reward of a hand-in, however long the work takes. Throws what it is stuck on (see {@link findStuck}). */
export async function awaitReward(database: Queryable, artifactId: string): Promise<RewardRow> {
  for (;;) {
    const reward = await waitForReward(database, artifactId, performance.now() + LOOK_AFTER_MS);
    if (reward !== null) return reward;
    const stuck = await findStuck(database, artifactId);
    if (stuck !== null) throw stuck;
  }
}

/**
 * Why a hand-in cannot get a reward now: the error of a step after grading that trying again does not mend (a policy that
 * does not load, evidence that is damaged). The work stays due, but nobody should wait for it. Null when nothing is known.
 */
export async function findStuck(database: Queryable, artifactId: string): Promise<ProctorError | null> {
  const failure = await findLastFailure(database, artifactId);
  if (failure === null || !['judge', 'decide', 'reward'].includes(failure.step)) return null;
  return ERRORS[failure.code].retry === 'never' ? new ProctorError(failure.code, failure.message) : null;
}
