import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

/** Work that a test lets end. */
function stagedWork() {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (number: number) => () => {
    begun.push(number);
    return new Promise<number>((resolve) => {
      ends[number] = () => resolve(number);
    });
  };
  return { begun, ends, work };
}

/** Lets everything run that can run now. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('no more than the limit runs at once, and what waits runs in order', async () => {
  const { begun, ends, work } = stagedWork();
  const slots = createSlots(2);
  const all = [0, 1, 2, 3].map((number) => slots.run(work(number)));
  await turn();
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await turn();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  await turn();
  ends[2]?.();
  ends[3]?.();
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
});

test('work that fails gives its place back, and the failure goes to whoever asked', async () => {
  const slots = createSlots(1);
  const failed = slots.run(async () => {
    throw new Error('no');
  });
  const after = slots.run(async () => 'done');
  await expect(failed).rejects.toThrow('no');
  expect(await after).toBe('done');
  expect(await slots.run(async () => 'again')).toBe('again');
});

test('idle waits for what runs and for what waits, also when it fails', async () => {
  const { ends, work } = stagedWork();
  const slots = createSlots(1);
  await slots.idle();
  const first = slots.run(work(0));
  const second = slots.run(async () => {
    throw new Error('no');
  });
  second.catch(() => undefined);
  let idle = false;
  const waiting = slots.idle().then(() => {
    idle = true;
  });
  await turn();
  expect(idle).toBe(false);
  ends[0]?.();
  await Promise.all([first, waiting]);
  expect(idle).toBe(true);
});
