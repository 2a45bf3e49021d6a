import { expect, test } from 'vitest';
import { betaPosterior, betaQuantile, betaShare } from './beta.ts';
import { DifficultyTable, difficultyOf } from './difficulty.ts';

test('the incomplete beta function has its known values', () => {
  expect(betaShare(0.5, { a: 2, b: 2 })).toBeCloseTo(0.5, 9);
  expect(betaShare(0.3, { a: 1, b: 1 })).toBeCloseTo(0.3, 9);
  expect(betaShare(0.2, { a: 2, b: 3 })).toBeCloseTo(0.1808, 6); // 1 - (1-x)^4 - 4x(1-x)^3
  expect(betaShare(0.25, { a: 0.5, b: 0.5 })).toBeCloseTo(1 / 3, 7); // arcsine law
  expect(betaQuantile(0.5, { a: 50_000, b: 50_000 })).toBeCloseTo(0.5, 6);
});

test('an interval holds the rate that it is of, and narrows with tries', () => {
  for (const of of [1, 5, 50, 5_000]) {
    const { low, mean, high } = betaPosterior(Math.floor(of / 2), of);
    expect(low).toBeLessThanOrEqual(mean);
    expect(mean).toBeLessThanOrEqual(high);
  }
  const width = (of: number) => betaPosterior(of / 2, of).high - betaPosterior(of / 2, of).low;
  expect(width(1_000)).toBeLessThan(width(10) / 5);
  expect(betaPosterior(0, 20).low).toBe(0);
  expect(betaPosterior(20, 20).high).toBe(1);
});

test('few tries have no tier, and reach is a belief about the band', () => {
  const band = [0.2, 0.8] as const;
  expect(difficultyOf({ passed: 1, of: 3 }, band).tier).toBe('unknown');
  expect(difficultyOf({ passed: 0, of: 30 }, band)).toMatchObject({ tier: 'unsolved', isWithinReach: false });
  expect(difficultyOf({ passed: 30, of: 30 }, band)).toMatchObject({ tier: 'solved', isWithinReach: false });
  expect(difficultyOf({ passed: 15, of: 30 }, band)).toMatchObject({ tier: 'medium', isWithinReach: true });
  expect(difficultyOf({ passed: 4, of: 30 }, band).tier).toBe('hard');
});

test('windows are counted apart, and all of them together', () => {
  const table = new DifficultyTable();
  for (let n = 0; n < 10; n++) table.note({ task: 't', window: n < 5 ? 'old' : 'new' }, n >= 5);
  expect(table.of({ task: 't', window: 'old' }, [0, 1])).toMatchObject({ passed: 0, of: 5 });
  expect(table.of({ task: 't', window: 'new' }, [0, 1])).toMatchObject({ passed: 5, of: 5 });
  expect(table.of({ task: 't', window: null }, [0, 1])).toMatchObject({ passed: 5, of: 10 });
});
