import { setImmediate } from 'node:timers/promises';

/** So many characters are read before the clock is looked at. */
const STRETCH = 16 * 1024;
/** A line costs something whatever its length. */
const PER_LINE = 100;
/** After so long the service does its other work first. */
const MAX_BUSY_MS = 5;

/** Lets other work in between, however long a log is. */
export class Pace {
  #read = 0;
  #since = performance.now();

  /** Whether it is time to rest, after a line of this length. */
  isOver(length: number): boolean {
    this.#read += length + PER_LINE;
    if (this.#read < STRETCH) return false;
    this.#read = 0;
    return performance.now() - this.#since > MAX_BUSY_MS;
  }

  /** Lets everything that waits have its turn. */
  async rest(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }
}
