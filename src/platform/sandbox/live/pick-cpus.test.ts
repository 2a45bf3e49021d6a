import { expect, test } from 'vitest';
import { openCpuTurns, parseList } from './pick-cpus.ts';

test('processors are given in turn, rounded up, and all of them are no restriction', () => {
  const turn = openCpuTurns([2, 3, 7]);
  const given = [turn(1), turn(1), turn(1), turn(1)].flatMap((cpus) => cpus ?? []);
  expect(new Set(given)).toEqual(new Set([2, 3, 7]));
  expect(given[3]).toBe(given[0]);
  expect(turn(1.5)).toHaveLength(2);
  expect([turn(3), turn(8), turn(undefined)]).toEqual([null, null, null]);
});

test('lists of the kernel are read', () => {
  expect(parseList('0-2,5,7-8')).toEqual([0, 1, 2, 5, 7, 8]);
  expect(parseList('4')).toEqual([4]);
});
