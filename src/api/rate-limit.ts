import type { FastifyInstance } from 'fastify';
import { ProctorError } from '../platform/base/errors.ts';

/** Calls that may come at once are those of so many seconds: a burst of rollouts that end together is no abuse. */
const BURST_SECONDS = 10;

/** A bucket of calls that fills up again with time. */
export interface Buckets {
  /** Takes one call from a key's bucket; gives 0, or in how many seconds there is one again. */
  take(keyId: string, nowMs: number): number;
}

/** Token buckets, one for each key: as many as there are keys, since only calls with a valid one get here. */
export function createBuckets(perSecond: number): Buckets {
  const most = perSecond * BURST_SECONDS;
  const buckets = new Map<string, { left: number; atMs: number }>();
  return {
    take(keyId, nowMs) {
      const bucket = buckets.get(keyId) ?? { left: most, atMs: nowMs };
      buckets.set(keyId, bucket);
      bucket.left = Math.min(most, bucket.left + ((nowMs - bucket.atMs) / 1000) * perSecond);
      bucket.atMs = nowMs;
      if (bucket.left < 1) return (1 - bucket.left) / perSecond;
      bucket.left -= 1;
      return 0;
    },
  };
}

/** Bounds the calls of each key to this process: `too-many-calls` with Retry-After. Call it after `installAuth`; 0 is no bound. */
export function installRateLimit(app: FastifyInstance, perSecond: number): void {
  if (perSecond === 0) return;
  const buckets = createBuckets(perSecond);
  app.addHook('onRequest', async ({ caller }) => {
    const keyId = caller?.keyId; // pages of the API's description have no caller at all
    const seconds = keyId === undefined ? 0 : buckets.take(keyId, performance.now());
    if (seconds === 0) return;
    const retryAfterSeconds = Math.ceil(seconds);
    const message = `this key makes more than ${perSecond} calls a second; come again in ${retryAfterSeconds} s`;
    throw new ProctorError('too-many-calls', message, { perSecond, retryAfterSeconds });
  });
}
