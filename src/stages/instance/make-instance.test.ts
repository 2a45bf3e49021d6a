import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadTask } from '../task/load-task.ts';
import { makeInstance } from './make-instance.ts';

const wordtool = fileURLToPath(new URL('../../../fixtures/wordtool', import.meta.url));

test('the same task and seed give the same bytes and digest', async () => {
  const task = await loadTask(wordtool);
  const [one, two] = [makeInstance(task, { seed: 'golden' }), makeInstance(task, { seed: 'golden' })];
  expect(one.digest).toBe(two.digest);
  expect(one.files.map(({ bytes }) => bytes.toString('hex'))).toEqual(
    two.files.map(({ bytes }) => bytes.toString('hex')),
  );
});

test('another seed gives another instance', async () => {
  const task = await loadTask(wordtool);
  expect(makeInstance(task, { seed: 'golden' }).digest).not.toBe(makeInstance(task, { seed: 'golden-2' }).digest);
});

test('without a seed one of 128 bits is drawn, told apart from a chosen one, and differs each time', async () => {
  const task = await loadTask(wordtool);
  const [one, two] = [makeInstance(task), makeInstance(task)];
  expect(one.seedDrawn).toBe(true);
  expect(one.seed).toMatch(/^[0-9a-f]{32}$/);
  expect(one.seed).not.toBe(two.seed);
  expect(makeInstance(task, { seed: one.seed }).digest).toBe(one.digest);
});

test('a seed that is no printable text is refused', async () => {
  const task = await loadTask(wordtool);
  expect(() => makeInstance(task, { seed: 'a b' })).toThrow(/printable/);
  expect(() => makeInstance(task, { seed: '' })).toThrow(/printable/);
});
