/** Places for work that callers bring; who finds none in time is told, and does not wait on. */
export interface Gate {
  /** Takes a place, waiting for one no longer than until `deadlineMs` (`performance.now()`); null when there was none. Give it back once. */
  enter(deadlineMs: number): Promise<(() => void) | null>;
}

/** A gate with so many places, first come first served. */
export function createGate(places: number): Gate {
  let free = places;
  const waiting = new Set<() => void>();
  const leave = () => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else next();
  };
  const leaveOnce = () => {
    let left = false;
    return () => {
      if (!left) leave();
      left = true;
    };
  };
  return {
    async enter(deadlineMs) {
      if (free > 0) {
        free -= 1;
        return leaveOnce();
      }
      const waitMs = deadlineMs - performance.now();
      if (waitMs <= 0) return null;
      const entered = await new Promise<boolean>((resolve) => {
        const called = () => settle(true);
        const timer = setTimeout(() => settle(false), waitMs);
        const settle = (mayEnter: boolean) => {
          clearTimeout(timer);
          waiting.delete(called);
          resolve(mayEnter);
        };
        waiting.add(called);
      });
      return entered ? leaveOnce() : null;
    },
  };
}
