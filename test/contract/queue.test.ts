import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { createInProcessQueue } from '../../src/platform/queue/in-process-queue.ts';
import type { Queue } from '../../src/platform/queue/queue.ts';
import { openRedisQueue } from '../../src/platform/queue/redis-queue.ts';
import { held, job } from '../support/held-jobs.ts';
import { startRedis } from '../support/redis-server.ts';

const redis = await startRedis();
afterAll(() => redis?.dispose());

/** What every queue does. */
function queueContract(name: string, make: () => Promise<Queue>): void {
  describe(name, () => {
    const opened: Queue[] = [];
    afterEach(async () => {
      for (const queue of opened.splice(0)) await queue.close();
    });
    const open = async () => {
      const queue = await make();
      opened.push(queue);
      return queue;
    };

    test('jobs wait for a handler and then run in the order in which they came', async () => {
      const queue = await open();
      const ran: string[] = [];
      for (const id of ['a', 'b', 'c']) await queue.enqueue(job(id));
      expect(await queue.depth()).toEqual({ waiting: 3, running: 0 });
      queue.process(async ({ id }) => void ran.push(id), { concurrency: 1 });
      await queue.idle();
      expect(ran).toEqual(['a', 'b', 'c']);
      expect(await queue.depth()).toEqual({ waiting: 0, running: 0 });
    });

    test('no more jobs run at once than is allowed', async () => {
      const queue = await open();
      const { started, handle, end } = held();
      queue.process(handle, { concurrency: 2 });
      for (const id of ['a', 'b', 'c']) await queue.enqueue(job(id));
      await vi.waitFor(() => expect(started).toEqual(['grade/a', 'grade/b']));
      expect(await queue.depth()).toEqual({ waiting: 1, running: 2 });
      end('grade/b');
      await vi.waitFor(() => expect(started).toEqual(['grade/a', 'grade/b', 'grade/c']));
      end('grade/a');
      end('grade/c');
      await queue.idle();
    });

    test('a job that waits or runs is not taken a second time', async () => {
      const queue = await open();
      const { started, handle, end } = held();
      queue.process(handle, { concurrency: 1 });
      await queue.enqueue(job('runs'));
      await vi.waitFor(() => expect(started).toEqual(['grade/runs']));
      for (const id of ['waits', 'waits', 'runs']) await queue.enqueue(job(id));
      expect(await queue.depth()).toEqual({ waiting: 1, running: 1 });
      end('grade/runs');
      await vi.waitFor(() => expect(started).toEqual(['grade/runs', 'grade/waits']));
      end('grade/waits');
      await queue.idle();
      expect(started).toHaveLength(2);
    });

    test('a job that has ended may come again', async () => {
      const queue = await open();
      const ran: string[] = [];
      queue.process(async ({ id }) => void ran.push(id), { concurrency: 1 });
      for (let time = 0; time < 2; time++) {
        await queue.enqueue(job('a'));
        await queue.idle();
      }
      expect(ran).toEqual(['a', 'a']);
    });

    test('while it is held back a process is handed nothing, and what waits is there when it is not', async () => {
      const queue = await open();
      const ran: string[] = [];
      queue.process(async ({ id }) => void ran.push(id), { concurrency: 2 });
      await queue.enqueue(job('before'));
      await queue.idle();
      queue.hold(true);
      for (const id of ['a', 'b', 'c']) await queue.enqueue(job(id));
      await new Promise((resolve) => setTimeout(resolve, 300)); // what would be handed over would be by now
      const early = ran.length - 1;
      expect(early).toBeLessThanOrEqual(1); // one may have been on its way
      expect((await queue.depth()).waiting).toBe(3 - early);
      queue.hold(false);
      await queue.idle();
      expect(ran).toEqual(['before', 'a', 'b', 'c']);
    });

    test('groups take turns: one with much to do does not keep another waiting', async () => {
      const queue = await open();
      const ran: string[] = [];
      for (const id of ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'c1']) {
        await queue.enqueue({ ...job(id), group: id.slice(0, 1) });
      }
      expect(await queue.depth()).toEqual({ waiting: 7, running: 0 });
      queue.process(async ({ id }) => void ran.push(id), { concurrency: 1 });
      await queue.idle();
      expect(ran).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    });

    test('the same id in another step is another job', async () => {
      const queue = await open();
      const ran: string[] = [];
      queue.process(async ({ step }) => void ran.push(step), { concurrency: 1 });
      await queue.enqueue(job('a', 'grade'));
      await queue.enqueue(job('a', 'screen'));
      await queue.idle();
      expect(ran).toEqual(['grade', 'screen']);
    });

    test('jobs that a running job adds belong to what idle waits for', async () => {
      const queue = await open();
      const ran: string[] = [];
      queue.process(
        async ({ id }) => {
          ran.push(id);
          if (ran.length < 5) await queue.enqueue(job(`${id}+`));
        },
        { concurrency: 1 },
      );
      await queue.enqueue(job('a'));
      await queue.idle();
      expect(ran).toEqual(['a', 'a+', 'a++', 'a+++', 'a++++']);
    });

    test('an empty queue is idle at once', async () => {
      await expect((await open()).idle()).resolves.toBeUndefined();
    });

    test('closing waits for what runs', async () => {
      const queue = await open();
      const { started, handle, end } = held();
      queue.process(handle, { concurrency: 1 });
      await queue.enqueue(job('runs'));
      await vi.waitFor(() => expect(started).toEqual(['grade/runs']));
      let closed = false;
      const closing = queue.close().then(() => {
        closed = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 300)); // longer than closing takes when nothing runs
      expect(closed).toBe(false);
      end('grade/runs');
      await closing;
    });
  });
}

queueContract('the queue of one process', async () => createInProcessQueue());

if (redis === null) {
  test.skip('the queue in Redis: not tried, Redis is not installed; run scripts/setup.sh --server', () => undefined);
} else {
  queueContract('the queue in Redis', () => openRedisQueue(redis.url, { prefix: randomUUID() }));

  describe('the queue in Redis, beyond one process', () => {
    const prefix = randomUUID();
    const open = () => openRedisQueue(redis.url, { prefix });

    test('what one process adds another one takes, each job once', async () => {
      const [api, one, other] = [await open(), await open(), await open()];
      const ran: string[] = [];
      for (const queue of [one, other]) queue.process(async ({ id }) => void ran.push(id), { concurrency: 2 });
      const ids = Array.from({ length: 50 }, (_, index) => String(index));
      await Promise.all(ids.map((id) => api.enqueue(job(id))));
      await api.idle();
      expect([...ran].sort()).toEqual([...ids].sort());
      await Promise.all([api, one, other].map((queue) => queue.close()));
    });

    test('while Redis is away adding says so; when it is back, empty, what is added runs', async () => {
      const queue = await open();
      const ran: string[] = [];
      queue.process(async ({ id }) => void ran.push(id), { concurrency: 1 });
      await redis.crash();
      await expect(queue.enqueue(job('lost'))).rejects.toMatchObject({ code: 'queue-unavailable' });
      await redis.start();
      await vi.waitFor(() => queue.enqueue(job('after')), { timeout: 20_000, interval: 100 });
      await vi.waitFor(() => expect(ran).toContain('after'), { timeout: 20_000 });
      await queue.close();
    });

    test('closing waits for what runs, and not for a Redis that went away meanwhile', async () => {
      const queue = await open();
      const { started, handle, end } = held();
      queue.process(handle, { concurrency: 1 });
      await queue.enqueue(job('runs'));
      await vi.waitFor(() => expect(started).toEqual(['grade/runs']));
      const closing = queue.close();
      await redis.crash();
      end('grade/runs');
      await closing;
      await redis.start();
    });

    test.each([
      ['a wrong port', 'redis://127.0.0.1:1', /does not serve: .*ECONNREFUSED/],
      ['a wrong name', redis.url.replace('//', '//nobody:secret@'), /does not serve: .*WRONGPASS/],
    ])('%s is told in one line', async (_, url, message) => {
      await expect(openRedisQueue(url)).rejects.toMatchObject({
        code: 'queue-unavailable',
        message: expect.stringMatching(message),
      });
    });
  });
}
