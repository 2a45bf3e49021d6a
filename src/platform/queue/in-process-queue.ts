import type { Job, Queue } from './queue.ts';

/** A queue in memory, for one process. A job that waits or runs is not taken a second time. */
export function createInProcessQueue(): Queue {
  const waiting = createTurns();
  const running = new Map<string, Promise<void>>();
  let handle: ((job: Job) => Promise<void>) | null = null;
  let concurrency = 1;
  let closed = false;
  let held = false;
  const idle = createIdle(() => waiting.size() + running.size === 0);
  const start = () => {
    while (handle !== null && !closed && !held && running.size < concurrency) {
      const job = waiting.take();
      if (job === null) return;
      const [key, begun] = [keyOf(job), handle];
      // counted as running before the handler begins, which may enqueue at once
      const run = Promise.resolve()
        .then(() => begun(job))
        .finally(() => {
          running.delete(key);
          start();
          idle.look();
        });
      running.set(key, run);
    }
  };

  return {
    shared: false,
    async enqueue(job) {
      if (closed || running.has(keyOf(job))) return;
      waiting.add(job);
      start();
    },
    process(handler, options) {
      handle = handler;
      concurrency = options.concurrency;
      start();
    },
    hold(isHeld) {
      held = isHeld;
      start();
    },
    idle: idle.reached,
    depth: async () => ({ waiting: waiting.size(), running: running.size }),
    async close() {
      closed = true;
      waiting.clear();
      idle.look();
      await Promise.all(running.values());
    },
  };
}

/** Who waits for a state to be reached. */
function createIdle(isReached: () => boolean) {
  const waiters: (() => void)[] = [];
  const look = () => {
    if (isReached()) for (const done of waiters.splice(0)) done();
  };
  const reached = () =>
    new Promise<void>((resolve) => {
      waiters.push(resolve);
      look();
    });
  return { look, reached };
}

function keyOf({ step, id }: Job): string {
  return `${step}/${id}`;
}

/** Jobs that wait, by group; groups take turns. */
function createTurns() {
  const groups = new Map<string, Job[]>();
  const keys = new Set<string>();
  return {
    size: () => keys.size,
    add(job: Job): void {
      if (keys.has(keyOf(job))) return;
      keys.add(keyOf(job));
      const { group = '' } = job;
      const jobs = groups.get(group);
      if (jobs === undefined) groups.set(group, [job]);
      else jobs.push(job);
    },
    /** The first job of the group whose turn it is; the group goes to the end. */
    take(): Job | null {
      for (const [group, jobs] of groups) {
        const job = jobs.shift() as Job;
        keys.delete(keyOf(job));
        groups.delete(group);
        if (jobs.length > 0) groups.set(group, jobs);
        return job;
      }
      return null;
    },
    clear(): void {
      groups.clear();
      keys.clear();
    },
  };
}
