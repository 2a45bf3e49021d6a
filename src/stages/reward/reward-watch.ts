import type { Queryable } from '../../platform/db/database.ts';
import type { RewardRow } from './reward.ts';
import { findLatestReward, findRewarded } from './reward-store.ts';

/** Waits for rewards of any number of hand-ins with one query at a time. */
export interface RewardWatch {
  /** The reward of a hand-in, or null when it is not there before the deadline (`performance.now()`). */
  wait(artifactId: string, deadlineMs: number): Promise<RewardRow | null>;
  /** Says that a reward was stored just now, so that nobody has to look for it. */
  tell(artifactId: string): void;
}

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

interface Waiter {
  readonly artifactId: string;
  readonly deadlineMs: number;
  readonly done: (rewarded: boolean) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * A watch over one database. It looks often at first and less often later, and not at all while nobody waits. Where it is told
 * of rewards by who stores them (`told`), it looks only for those that others store.
 */
export function createRewardWatch(database: Queryable, { told = false } = {}): RewardWatch {
  const firstPauseMs = told ? LONGEST_PAUSE_MS : FIRST_PAUSE_MS;
  let waiters: readonly Waiter[] = [];
  let looking = false;

  const look = async (): Promise<void> => {
    for (let pauseMs = firstPauseMs; waiters.length > 0; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
      const asked = waiters;
      const rewarded = new Set(await findRewarded(database, [...new Set(asked.map(({ artifactId }) => artifactId))]));
      const now = performance.now();
      const settled = asked.filter(({ artifactId, deadlineMs }) => rewarded.has(artifactId) || now >= deadlineMs);
      waiters = waiters.filter((waiter) => !settled.includes(waiter));
      for (const { artifactId, done } of settled) done(rewarded.has(artifactId));
      if (settled.length > 0) pauseMs = firstPauseMs;
      const nextDeadlineMs = Math.min(...waiters.map(({ deadlineMs }) => deadlineMs));
      if (waiters.length > 0) await pause(Math.min(pauseMs, Math.max(1, nextDeadlineMs - performance.now())));
    }
  };
  const start = () => {
    if (looking) return;
    looking = true;
    look()
      .catch((thrown) => {
        const lost = waiters;
        waiters = [];
        for (const { failed } of lost) failed(thrown);
      })
      .finally(() => {
        looking = false;
        if (waiters.length > 0) start();
      });
  };

  return {
    tell(artifactId) {
      const told = waiters.filter((waiter) => waiter.artifactId === artifactId);
      if (told.length === 0) return;
      waiters = waiters.filter((waiter) => !told.includes(waiter));
      for (const { done } of told) done(true);
    },
    async wait(artifactId, deadlineMs) {
      const rewarded = await new Promise<boolean>((done, failed) => {
        waiters = [...waiters, { artifactId, deadlineMs, done, failed }];
        start();
      });
      return rewarded ? findLatestReward(database, artifactId) : null;
    },
  };
}

/** Waits for one hand-in alone. */
export function waitForReward(database: Queryable, artifactId: string, deadlineMs: number): Promise<RewardRow | null> {
  return createRewardWatch(database).wait(artifactId, deadlineMs);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
