import { ProctorError } from '../../platform/base/errors.ts';

const WINDOW_MS = 600_000;
const MOST_TRIES = 10;
/** Addresses that are remembered; the oldest are forgotten first. */
const MOST_ADDRESSES = 10_000;

/** Wrong keys by address: after ten within ten minutes no more are looked at for a while. */
export interface WrongTries {
  /** `too-many-tries`, with `retryAfterSeconds`. */
  refuse(address: string): void;
  note(address: string): void;
}

export function countWrongTries(nowMs: () => number = Date.now): WrongTries {
  const tries = new Map<string, readonly number[]>();
  const recent = (address: string) => (tries.get(address) ?? []).filter((atMs) => atMs > nowMs() - WINDOW_MS);
  return {
    refuse(address) {
      const known = recent(address);
      if (known.length < MOST_TRIES) return;
      const retryAfterSeconds = Math.ceil(((known[0] ?? nowMs()) + WINDOW_MS - nowMs()) / 1000);
      throw new ProctorError('too-many-tries', 'too many wrong keys from your address; wait, then try again', {
        retryAfterSeconds,
      });
    },
    note(address) {
      const known = [...recent(address), nowMs()].slice(-MOST_TRIES);
      tries.delete(address);
      tries.set(address, known);
      const [oldest] = tries.keys();
      if (tries.size > MOST_ADDRESSES && oldest !== undefined) tries.delete(oldest);
    },
  };
}
