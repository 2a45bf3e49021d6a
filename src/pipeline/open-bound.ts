import { ProctorError } from '../platform/base/errors.ts';
import type { Database } from '../platform/db/database.ts';
import { countOpen } from './work-store.ts';

/** How long a count of what is open is good for; hand-ins of this process are added to it meanwhile. */
const COUNT_EVERY_MS = 250;
/** When to come again: some seconds, not the same for all who were refused together. */
const COME_AGAIN_SECONDS = { least: 2, most: 10 };

/** The bound on hand-ins that have no reward yet: what comes faster than it is graded waits with whoever sends it. */
export interface OpenBound {
  /** Stores one more by `handIn`; `queue-full`, with `details.retryAfterSeconds`, and nothing done when there is no room. */
  within<T>(handIn: () => Promise<T>): Promise<T>;
}

/** A bound for all processes of a database together; they may pass it by what the others hand in within a quarter of a second. */
export function createOpenBound(database: Database, most: number): OpenBound {
  let counting: Promise<void> | null = null;
  let countedMs = Number.NEGATIVE_INFINITY;
  let counted = 0;
  /** Of this process: not stored yet, and stored since the last count. */
  let coming = 0;
  let since = 0;
  const count = async () => {
    const stored = since;
    counted = await countOpen(database);
    since -= stored;
    countedMs = performance.now();
  };
  return {
    async within(handIn) {
      if (performance.now() - countedMs > COUNT_EVERY_MS) {
        counting ??= count().finally(() => {
          counting = null;
        });
        await counting;
      }
      const open = counted + since + coming;
      if (open >= most) throw full(open, most);
      coming++;
      try {
        const handedIn = await handIn();
        since++;
        return handedIn;
      } finally {
        coming--;
      }
    },
  };
}

function full(open: number, most: number): ProctorError {
  const { least, most: longest } = COME_AGAIN_SECONDS;
  const retryAfterSeconds = Math.round(least + Math.random() * (longest - least));
  const message = `${open} hand-ins wait for their grade, and ${most} may; come again in ${retryAfterSeconds} s`;
  return new ProctorError('queue-full', message, { open, most, retryAfterSeconds });
}
