/** Places for work that takes a machine's share; there are as many as grades may be in flight at once. */
export interface Slots {
  /** Runs `work` once a place is free, first come first served. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
}

/** Makes `limit` places. */
export function createSlots(limit: number): Slots {
  const waiting: (() => void)[] = [];
  const held = new Set<Promise<unknown>>();
  let free = limit;
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
  return {
    run(work) {
      const running = inTurn(work);
      const settled = running.then(ignore, ignore);
      held.add(settled);
      void settled.then(() => held.delete(settled));
      return running;
    },
    async idle() {
      while (held.size > 0) await Promise.all(held);
    },
  };
}

function ignore(): void {}
