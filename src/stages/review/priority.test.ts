import { expect, test } from 'vitest';
import { groupFactor, priorityOf } from './priority.ts';

test('a group counts more with each doubling, and no more from 64 on', () => {
  expect([0, 1, 2, 3, 4, 7, 8, 63, 64, 65, 10_000].map(groupFactor)).toEqual([1, 1, 2, 2, 3, 3, 4, 6, 7, 7, 7]);
});

test('what is worse, less known, or waits with more like it comes first', () => {
  const base = { severity: 0.5, uncertainty: 0.5 };
  expect(priorityOf({ ...base, severity: 0.6 }, 1)).toBeGreaterThan(priorityOf(base, 1));
  expect(priorityOf({ ...base, uncertainty: 0.6 }, 1)).toBeGreaterThan(priorityOf(base, 1));
  expect(priorityOf(base, 2)).toBeGreaterThan(priorityOf(base, 1));
  expect(priorityOf({ ...base, uncertainty: 0 }, 64)).toBe(0);
});
