import type { Job, Queue } from './queue.ts';

/** A queue in memory, for one process. A job that waits or runs is not taken a second time. */
export function createInProcessQueue(): Queue {
  const waiting = new Map<string, Job>();
  const running = new Map<string, Promise<void>>();
  let handle: ((job: Job) => Promise<void>) | null = null;
  let concurrency = 1;
  let closed = false;
  let idleWaiters: (() => void)[] = [];

  const tellIdle = () => {
    if (waiting.size === 0 && running.size === 0) for (const done of idleWaiters.splice(0)) done();
  };
  const start = () => {
    for (const [key, job] of waiting) {
      if (handle === null || closed || running.size >= concurrency) return;
      waiting.delete(key);
      const begun = handle;
      // counted as running before the handler begins, which may enqueue at once
      const run = Promise.resolve()
        .then(() => begun(job))
        .finally(() => {
          running.delete(key);
          start();
          tellIdle();
        });
      running.set(key, run);
    }
  };

  return {
    async enqueue(job) {
      const key = `${job.step}/${job.id}`;
      if (closed || running.has(key)) return;
      waiting.set(key, job);
      start();
    },
    process(handler, options) {
      handle = handler;
      concurrency = options.concurrency;
      start();
    },
    async idle() {
      if (waiting.size === 0 && running.size === 0) return;
      await new Promise<void>((resolve) => {
        idleWaiters = [...idleWaiters, resolve];
      });
    },
    depth: async () => ({ waiting: waiting.size, running: running.size }),
    async close() {
      closed = true;
      waiting.clear();
      tellIdle();
      await Promise.all(running.values());
    },
  };
}
