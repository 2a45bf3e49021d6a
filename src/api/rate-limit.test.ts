import { expect, test } from 'vitest';
import { createBuckets } from './rate-limit.ts';

test('a key may make the calls of ten seconds at once, and then as many as come back with time', () => {
  const buckets = createBuckets(2);
  const taken = Array.from({ length: 21 }, () => buckets.take('a', 0));
  expect(taken.filter((seconds) => seconds === 0)).toHaveLength(20);
  expect(taken.at(-1)).toBe(0.5);
  expect(buckets.take('b', 0)).toBe(0);
  expect([buckets.take('a', 500), buckets.take('a', 500)]).toEqual([0, 0.5]);
});

test('who was away for long gets no more than a full bucket', () => {
  const buckets = createBuckets(1);
  buckets.take('a', 0);
  const taken = Array.from({ length: 12 }, () => buckets.take('a', 1e9));
  expect(taken.filter((seconds) => seconds === 0)).toHaveLength(10);
});
