import { expect, test } from 'vitest';
import { seeded } from '../../../test/support/behaviours.ts';
import { countAtLeast, countAtMost, makeColumn, quantile, surpriseOf } from './tail.ts';

const column = (values: readonly (number | null)[]) => {
  const made = makeColumn(values);
  if (made === null) throw new Error('there is nothing in it');
  return made;
};

test('a tail p-value counts ties as more extreme', () => {
  const four = column([1, 2, 2, 3]);
  expect(surpriseOf(four, 2, { direction: 'high' })).toBeCloseTo(-Math.log10(4 / 5));
  expect(surpriseOf(four, 2, { direction: 'low' })).toBeCloseTo(-Math.log10(4 / 5));
  expect(surpriseOf(four, 3, { direction: 'high' })).toBeCloseTo(-Math.log10(2 / 5));
  expect(surpriseOf(four, 0, { direction: 'high' })).toBe(-Math.log10(1));
});

test('beyond the extreme the excess counts, in spreads of the upper half', () => {
  const ten = column([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  // median 4, 99 % quantile 9: a spread of 5; an excess of 10 is two of them
  expect(surpriseOf(ten, 19, { direction: 'high' })).toBeCloseTo(Math.log10(11) + Math.log10(1 + 10 / 5));
  expect(surpriseOf(ten, -8, { direction: 'low' })).toBeCloseTo(Math.log10(11) + Math.log10(1 + 8 / 4));
});

test('a column that never moves makes a movement odd, but not infinitely', () => {
  const still = column(Array.from({ length: 99 }, () => 0));
  expect(surpriseOf(still, Math.LN2, { direction: 'high' })).toBeCloseTo(2 + Math.log10(2));
  expect(surpriseOf(still, 0, { direction: 'high' })).toBe(-Math.log10(1));
  expect(surpriseOf(still, 1e15, { direction: 'high' })).toBeLessThan(18);
});

test('looking both ways costs 0.3, and an ordinary value is never less than not odd', () => {
  const ten = column([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(surpriseOf(ten, 9, { direction: 'both' })).toBeCloseTo(-Math.log10(2 / 11) - 0.3);
  expect(surpriseOf(ten, 4, { direction: 'both' })).toBe(0);
});

test('a value of the column itself does not count against itself', () => {
  const four = column([1, 2, 3, 10]);
  expect(surpriseOf(four, 10, { direction: 'high', isOwn: true })).toBeCloseTo(
    Math.log10(4) + Math.log10(1 + 7 / Math.max(Math.LN2, four.high - four.median)),
  );
  expect(surpriseOf(four, 2, { direction: 'high', isOwn: true })).toBeCloseTo(-Math.log10(3 / 4));
  expect(surpriseOf(column([1]), 1, { direction: 'high', isOwn: true })).toBeNull();
});

test('missing values are left out, and nothing is no column', () => {
  expect(column([null, 3, null, 1]).sorted).toEqual(Float64Array.of(1, 3));
  expect(makeColumn([null])).toBeNull();
  expect(makeColumn([])).toBeNull();
});

test('counts and quantiles agree with counting one by one', () => {
  const random = seeded(3);
  for (let round = 0; round < 200; round++) {
    const values = Array.from({ length: 1 + Math.floor(random() * 30) }, () => Math.floor(random() * 8));
    const { sorted } = column(values);
    const asked = Math.floor(random() * 10) - 1;
    expect(countAtLeast(sorted, asked)).toBe(values.filter((value) => value >= asked).length);
    expect(countAtMost(sorted, asked)).toBe(values.filter((value) => value <= asked).length);
    const share = random();
    const found = quantile(sorted, share);
    expect(countAtMost(sorted, found) / sorted.length).toBeGreaterThanOrEqual(share);
  }
});

test('the odder a value, the higher its surprise', () => {
  const some = column(Array.from({ length: 50 }, seeded(8)));
  const asked = Array.from({ length: 60 }, (_, index) => index / 20);
  const told = asked.map((value) => surpriseOf(some, value, { direction: 'high' }) ?? 0);
  expect(told).toEqual([...told].sort((one, other) => one - other));
});
