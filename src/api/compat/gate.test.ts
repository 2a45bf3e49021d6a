import { expect, test } from 'vitest';
import { createGate } from './gate.ts';

const SOON_MS = 20;
const LONG_MS = 10_000;

test('who comes first enters first, and a place that is given back twice is one place', async () => {
  const gate = createGate(1);
  const leave = await gate.enter(performance.now());
  const order: string[] = [];
  const enter = async (name: string) => {
    const left = await gate.enter(performance.now() + LONG_MS);
    order.push(name);
    left?.();
  };
  const both = [enter('second'), enter('third')];
  leave?.();
  leave?.();
  await Promise.all(both);
  expect(order).toEqual(['second', 'third']);
  const last = await gate.enter(performance.now());
  expect([last === null, await gate.enter(performance.now())]).toEqual([false, null]);
});

test('who finds no place in time gets none, and takes none later', async () => {
  const gate = createGate(1);
  const leave = await gate.enter(performance.now());
  expect(await gate.enter(performance.now() + SOON_MS)).toBeNull();
  leave?.();
  expect(await gate.enter(performance.now())).not.toBeNull();
});
