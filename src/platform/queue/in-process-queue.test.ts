import { expect, test } from 'vitest';
import { createInProcessQueue } from './in-process-queue.ts';
import type { Job } from './queue.ts';

const job = (id: string, step = 'grade'): Job => ({ step, id });

/** A handler whose jobs run until the test lets them end. */
function held() {
  const started: string[] = [];
  const letGo = new Map<string, () => void>();
  const handle = ({ step, id }: Job) =>
    new Promise<void>((resolve) => {
      started.push(`${step}/${id}`);
      letGo.set(`${step}/${id}`, resolve);
    });
  return { started, handle, end: (key: string) => letGo.get(key)?.() };
}

test('jobs wait for a handler and then run in the order in which they came', async () => {
  const queue = createInProcessQueue();
  const ran: string[] = [];
  for (const id of ['a', 'b', 'c']) await queue.enqueue(job(id));
  expect(await queue.depth()).toEqual({ waiting: 3, running: 0 });
  queue.process(async ({ id }) => void ran.push(id), { concurrency: 1 });
  await queue.idle();
  expect(ran).toEqual(['a', 'b', 'c']);
  expect(await queue.depth()).toEqual({ waiting: 0, running: 0 });
});

test('no more jobs run at once than is allowed', async () => {
  const queue = createInProcessQueue();
  const { started, handle, end } = held();
  queue.process(handle, { concurrency: 2 });
  for (const id of ['a', 'b', 'c']) await queue.enqueue(job(id));
  expect(started).toEqual(['grade/a', 'grade/b']);
  expect(await queue.depth()).toEqual({ waiting: 1, running: 2 });
  end('grade/b');
  await new Promise(setImmediate);
  expect(started).toEqual(['grade/a', 'grade/b', 'grade/c']);
  end('grade/a');
  end('grade/c');
  await queue.idle();
});

test('a job that waits or runs is not taken a second time', async () => {
  const queue = createInProcessQueue();
  const { started, handle, end } = held();
  queue.process(handle, { concurrency: 1 });
  for (const id of ['runs', 'waits', 'waits', 'runs']) await queue.enqueue(job(id));
  expect(await queue.depth()).toEqual({ waiting: 1, running: 1 });
  end('grade/runs');
  await new Promise(setImmediate);
  end('grade/waits');
  await queue.idle();
  expect(started).toEqual(['grade/runs', 'grade/waits']);
});

test('a job that has ended may come again', async () => {
  const queue = createInProcessQueue();
  const ran: string[] = [];
  queue.process(async ({ id }) => void ran.push(id), { concurrency: 1 });
  await queue.enqueue(job('a'));
  await queue.idle();
  await queue.enqueue(job('a'));
  await queue.idle();
  expect(ran).toEqual(['a', 'a']);
});

test('the same id in another step is another job', async () => {
  const queue = createInProcessQueue();
  const ran: string[] = [];
  queue.process(async ({ step }) => void ran.push(step), { concurrency: 1 });
  await queue.enqueue(job('a', 'grade'));
  await queue.enqueue(job('a', 'screen'));
  await queue.idle();
  expect(ran).toEqual(['grade', 'screen']);
});

test('jobs that a running job adds belong to what idle waits for', async () => {
  const queue = createInProcessQueue();
  const ran: string[] = [];
  queue.process(
    async ({ id }) => {
      await new Promise(setImmediate);
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
  await expect(createInProcessQueue().idle()).resolves.toBeUndefined();
});

test('closing drops what waits, waits for what runs, and takes nothing more', async () => {
  const queue = createInProcessQueue();
  const { started, handle, end } = held();
  queue.process(handle, { concurrency: 1 });
  await queue.enqueue(job('runs'));
  await queue.enqueue(job('waits'));
  let closed = false;
  const closing = queue.close().then(() => {
    closed = true;
  });
  await new Promise(setImmediate);
  expect(closed).toBe(false);
  end('grade/runs');
  await closing;
  await queue.enqueue(job('late'));
  expect(started).toEqual(['grade/runs']);
  expect(await queue.depth()).toEqual({ waiting: 0, running: 0 });
});

test('a handler that adds jobs before it waits for anything stays within the limit, and cannot start itself again', async () => {
  const queue = createInProcessQueue();
  const [ran, peaks]: [string[], number[]] = [[], []];
  queue.process(
    async ({ id }) => {
      ran.push(id);
      if (id === 'a') await Promise.all([queue.enqueue(job('a')), queue.enqueue(job('b'))]);
      peaks.push((await queue.depth()).running);
    },
    { concurrency: 1 },
  );
  await queue.enqueue(job('a'));
  await queue.idle();
  expect(ran).toEqual(['a', 'b']);
  expect(Math.max(...peaks)).toBe(1);
});

test('closing a queue that nobody served lets those go who wait for it', async () => {
  const queue = createInProcessQueue();
  await queue.enqueue(job('a'));
  const idle = queue.idle();
  await queue.close();
  await idle;
  expect(await queue.depth()).toEqual({ waiting: 0, running: 0 });
});
