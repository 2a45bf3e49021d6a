import { ProctorError } from '../platform/base/errors.ts';
import type { Database } from '../platform/db/database.ts';
import { countOpen } from './work-store.ts';

/** How long a count of what is open is good for; hand-ins of this process are added to it meanwhile. */
const COUNT_EVERY_MS = 250;
/** When to come again: some seconds, not the same for all who were refused together. */
const COME_AGAIN_SECONDS = { least: 2, most: 10 };

/** The bound on hand-ins that have no reward yet: what comes faster than it is graded waits with whoever sends it. */
export interface OpenBound {
  /** Makes room for one more; `queue-full`, with `details.retryAfterSeconds`, when there is none. */
  admit(): Promise<void>;
}

/** A bound for all processes of a database together; each may pass it by what the others hand in within a quarter of a second. */
export function createOpenBound(database: Database, most: number): OpenBound {
  let counting: Promise<number> | null = null;
  let countedMs = Number.NEGATIVE_INFINITY;
  let open = 0;
  const count = async () => {
    counting ??= countOpen(database).finally(() => {
      counting = null;
    });
    open = await counting;
    countedMs = performance.now();
  };
  return {
    async admit() {
      if (performance.now() - countedMs > COUNT_EVERY_MS) await count();
      if (open >= most) throw full(open, most);
      open++;
    },
  };
}

function full(open: number, most: number): ProctorError {
  const { least, most: longest } = COME_AGAIN_SECONDS;
  const retryAfterSeconds = Math.round(least + Math.random() * (longest - least));
  const message = `${open} hand-ins wait for their grade, and ${most} may; come again in ${retryAfterSeconds} s`;
  return new ProctorError('queue-full', message, { open, most, retryAfterSeconds });
}
