import { expect, test } from 'vitest';
import { held, job } from '../../../test/support/held-jobs.ts';
import { createInProcessQueue } from './in-process-queue.ts';

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
