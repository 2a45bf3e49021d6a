import { Queue as Bull, Worker } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { messageOf, ProctorError } from '../base/errors.ts';
import type { Job, Queue } from './queue.ts';

const NAME = 'work';
const CONNECT_MS = 5_000;
/** Who hands in does not wait longer for Redis: the sweep finds what is due. */
const ANSWER_MS = 2_000;
/** A job whose process says nothing for so long is handed to another one. */
const SILENT_MS = 5_000;
/** How often it is looked for such jobs. */
const LOOK_MS = 2_500;
/** How often a job may be handed on: the database knows what was tried. */
const MOST_HANDED_ON = 1_000;
const IDLE_LOOK_MS = 20;
const AGAIN_MS = 1_000;

/**
 * Ids in Redis, by BullMQ, for any number of processes. Redis may lose everything at any time. `queue-unavailable` when it does
 * not answer at the start, or to an `enqueue`; while it is away `process` waits for it. `prefix` is for tests that share a server.
 */
export async function openRedisQueue(url: string, { prefix = 'proctor' } = {}): Promise<Queue> {
  const asking = await connected(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: ANSWER_MS,
  });
  const bull = new Bull<Job>(NAME, { connection: asking, prefix, skipWaitingForReady: true });
  bull.on('error', ignore); // told by the call that meets it
  try {
    await guarded(() => bull.waitUntilReady()); // what fails while it gets ready would fail for ever
  } catch (thrown) {
    asking.disconnect();
    throw thrown;
  }
  const turns = turnsIn(asking, `${prefix}:${NAME}-groups`);
  const opened: Opened = {};
  let closing: Promise<void> | null = null;
  let held = false;
  const goOn = () => {
    if (held || closing !== null) return;
    opened.worker?.resume();
  };
  return {
    shared: true,
    async enqueue(job) {
      const once = { jobId: `${job.step}/${job.id}`, removeOnComplete: true, removeOnFail: true };
      await guarded(async () => {
        if (await bull.getJob(once.jobId)) return; // it waits or runs
        await bull.add(job.step, job, { ...once, ...(await turns.join(job.group)) });
      });
    },
    process(handle, { concurrency }) {
      Object.assign(opened, startTaking({ url, prefix, concurrency }, handle, turns.leave));
    },
    hold(isHeld) {
      held = isHeld;
      if (isHeld) void opened.worker?.pause(true).catch(ignore);
      else goOn();
      setTimeout(goOn, AGAIN_MS).unref(); // a loop that ends just as it is told to go on has not heard it
    },
    async idle() {
      for (;;) {
        const { waiting, running } = await depthOf(bull);
        if (waiting + running === 0) return;
        await new Promise((resolve) => setTimeout(resolve, IDLE_LOOK_MS));
      }
    },
    depth: () => depthOf(bull),
    close() {
      closing ??= close(bull, asking, opened);
      return closing;
    },
  };
}

/** The most that BullMQ takes. */
const LAST_PRIORITY = 2_097_151;

/**
 * Groups take turns: the n-th job of a group that waits comes after the first n - 1 of every other one. How many wait is counted
 * beside the queue; what is counted wrongly, since a process died in between, moves a group by one place.
 */
function turnsIn(redis: Redis, key: string) {
  return {
    async join(group: string | undefined): Promise<{ priority?: number }> {
      if (group === undefined) return {};
      const place = await redis.hincrby(key, group, 1);
      return { priority: Math.min(Math.max(place, 1), LAST_PRIORITY) };
    },
    leave(group: string | undefined): void {
      if (group === undefined) return;
      redis
        .hincrby(key, group, -1)
        .then((left) => (left <= 0 ? redis.hdel(key, group) : 0))
        .catch(ignore); // Redis is away, and what it counted with it
    },
  };
}

/** Takes jobs by a connection of its own, which waits for Redis while that is away. */
function startTaking(
  { url, prefix, concurrency }: { url: string; prefix: string; concurrency: number },
  handle: (job: Job) => Promise<void>,
  taken: (group: string | undefined) => void,
): Required<Opened> {
  const taking = new Redis(url, { maxRetriesPerRequest: null });
  taking.on('error', ignore);
  const running = new Set<Promise<void>>();
  const run = async ({ data }: { data: Job }) => {
    taken(data.group);
    const handled = handle(data);
    running.add(handled);
    await handled.finally(() => running.delete(handled));
  };
  const limits = { concurrency, lockDuration: SILENT_MS, stalledInterval: LOOK_MS, maxStalledCount: MOST_HANDED_ON };
  const worker = new Worker<Job>(NAME, run, { connection: taking, prefix, ...limits });
  worker.on('error', ignore);
  return { worker, taking, running };
}

interface Opened {
  worker?: Worker<Job>;
  taking?: Redis;
  /** Handlers that run. */
  running?: Set<Promise<void>>;
}

/** Handlers that run end first; a Redis that is away cannot be told so, and is not waited for. */
async function close(bull: Bull<Job>, asking: Redis, { worker, taking, running = new Set() }: Opened): Promise<void> {
  const closing = worker?.close(taking?.status !== 'ready').catch(ignore);
  while (running.size > 0) await Promise.all(running);
  const told = Promise.resolve(closing)
    .then(() => bull.close())
    .catch(ignore);
  await Promise.race([told, new Promise((resolve) => setTimeout(resolve, ANSWER_MS))]);
  for (const connection of [asking, taking]) connection?.disconnect();
}

async function connected(url: string, options: RedisOptions): Promise<Redis> {
  const redis = new Redis(url, { ...options, lazyConnect: true, connectTimeout: CONNECT_MS });
  let met = '';
  redis.on('error', (error) => {
    met = error.message;
  });
  try {
    await redis.connect();
    await redis.ping();
    return redis;
  } catch (thrown) {
    redis.disconnect();
    const where = `${redis.options.host ?? 'localhost'}:${redis.options.port ?? 6379}`;
    throw new ProctorError('queue-unavailable', `Redis at ${where} does not serve: ${met || messageOf(thrown)}`);
  }
}

function depthOf(bull: Bull<Job>): Promise<{ waiting: number; running: number }> {
  return guarded(async () => {
    const counts = await bull.getJobCounts('wait', 'prioritized', 'delayed', 'paused', 'active');
    const { active = 0, ...others } = counts;
    return { waiting: Object.values(others).reduce((sum, count) => sum + count, 0), running: active };
  });
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw new ProctorError('queue-unavailable', `Redis does not answer: ${messageOf(thrown)}`, {}, { cause: thrown });
  }
}

function ignore(): void {}
