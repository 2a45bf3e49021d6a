import { expect, test } from 'vitest';
import { drawMany, drawOne, drawRows } from '../../../../test/support/draw-one.ts';
import { randomStream } from '../random-stream.ts';
import { numberDrawer, weightedDrawer } from './draw-number.ts';

const many = (distribution: 'uniform' | 'normal' | 'log-uniform' | 'zipf', [min, max]: [number, number]) =>
  drawOne({ type: 'integers', count: 5_000, min, max, distribution }).x as number[];
const DISTRIBUTIONS = ['uniform', 'normal', 'log-uniform', 'zipf'] as const;

test.each(DISTRIBUTIONS)('%s numbers are whole and within their range, wherever it lies', (distribution) => {
  for (const range of [
    [0, 0],
    [0, 1],
    [7, 9],
    [1_000_000, 1_000_500],
  ] as [number, number][]) {
    const drawn = many(distribution, range);
    expect(drawn.filter((n) => !Number.isSafeInteger(n) || n < range[0] || n > range[1])).toEqual([]);
    if (range[1] - range[0] < 3) expect(new Set(drawn).size).toBe(range[1] - range[0] + 1);
  }
});

test.each(['uniform', 'normal', 'log-uniform'] as const)(
  '%s numbers of the widest range stay exact',
  (distribution) => {
    const drawn = many(distribution, [0, Number.MAX_SAFE_INTEGER]);
    expect(drawn.filter((n) => !Number.isSafeInteger(n) || n < 0)).toEqual([]);
  },
);

test('numbers without a distribution are the uniform ones', () => {
  expect(drawOne({ type: 'integers', count: 50, min: 3, max: 99 }).x).toEqual(many('uniform', [3, 99]).slice(0, 50));
});

test('normal numbers gather in the middle, a twelfth of the range wide', () => {
  const drawn = many('normal', [0, 12_000]);
  const mean = drawn.reduce((sum, n) => sum + n, 0) / drawn.length;
  const deviation = Math.sqrt(drawn.reduce((sum, n) => sum + (n - mean) ** 2, 0) / drawn.length);
  expect(mean).toBeGreaterThan(5_950);
  expect(mean).toBeLessThan(6_050);
  expect(deviation).toBeGreaterThan(960);
  expect(deviation).toBeLessThan(1_040);
});

test('log-uniform numbers have every bit length about equally often', () => {
  const counts = new Map<number, number>();
  for (const n of many('log-uniform', [0, 1_023])) {
    const bits = n === 0 ? 0 : n.toString(2).length;
    counts.set(bits, (counts.get(bits) ?? 0) + 1);
  }
  expect(counts.size).toBe(11);
  for (const [bits, count] of counts) expect(Math.abs(count - 5_000 / 11), `${bits} bits`).toBeLessThan(80);
});

test('the first value of a Zipf range comes twice as often as the second, ten times as often as the tenth', () => {
  const drawn = many('zipf', [1, 100]);
  const count = (value: number) => drawn.filter((n) => n === value).length;
  expect(count(1) / count(2)).toBeGreaterThan(1.7);
  expect(count(1) / count(2)).toBeLessThan(2.3);
  expect(count(1) / count(10)).toBeGreaterThan(7);
  expect(count(1) / count(10)).toBeLessThan(14);
});

test('the widest Zipf range is drawn from without a loss', () => {
  const draw = numberDrawer({ min: 0, max: 99_999, distribution: 'zipf' });
  const stream = randomStream('golden', 'wide');
  const drawn = Array.from({ length: 2_000 }, () => draw(stream));
  expect(Math.min(...drawn)).toBe(0);
  expect(Math.max(...drawn)).toBeGreaterThan(90_000);
  expect(Math.max(...drawn)).toBeLessThan(100_000);
});

test('a weighted draw follows its weights, and gives the first and the last', () => {
  const [draw, stream] = [weightedDrawer([1, 2, 7]), randomStream('golden', 'weights')];
  const counts = [0, 0, 0];
  for (let turn = 0; turn < 5_000; turn++) {
    const index = draw(stream);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  for (const [index, share] of [0.1, 0.2, 0.7].entries()) {
    expect(Math.abs((counts[index] ?? 0) / 5_000 - share)).toBeLessThan(0.03);
  }
});

test('a choice with weights gives each value with its own type', () => {
  const drawn = drawMany({ type: 'choice', of: ['1', 1], weights: [1, 1] }, 60);
  expect(new Set(drawn)).toEqual(new Set(['1', 1]));
});

test.each([1, 2, 3, 4, 5, 6])('a decimal of %i places is within its range and is written with no more', (places) => {
  const drawn = drawRows({
    type: 'table',
    rows: 2_000,
    columns: { x: { type: 'decimal', min: -0.3, max: 12_345_678.9, places } },
  }).map(({ x }) => x as number);
  const pattern = new RegExp(`^-?\\d+(\\.\\d{1,${places}})?$`);
  expect(drawn.filter((x) => x < -0.3 || x > 12_345_678.9 || !pattern.test(String(x)))).toEqual([]);
});

test('both ends of a decimal are drawn, and nothing is minus zero', () => {
  const drawn = drawMany({ type: 'decimal', min: -0.1, max: 0.1, places: 1 }, 60);
  expect(new Set(drawn)).toEqual(new Set([-0.1, 0, 0.1]));
  expect(drawn.some((x) => Object.is(x, -0))).toBe(false);
});
