import { expect, test } from 'vitest';
import { seeded } from '../../../test/support/behaviours.ts';
import { cohortRule, gateThreshold, proposeWeight, type Weighed } from './weight.ts';

const BASE: Weighed = {
  p: 0.0005,
  accessP: 1,
  leading: 'R',
  gate: 0.01,
  rule: cohortRule(3_000),
  isNewWindow: false,
  hasUnseenAccess: false,
  isCorroborated: false,
};
const weight = (change: Partial<Weighed>) => proposeWeight({ ...BASE, ...change });

test('a weight is 1 above one in a thousand, and falls with p to the floor of its test', () => {
  expect(weight({ p: 0.0010001 })).toEqual({ weight: 1, review: false, reason: 'ordinary' });
  expect(weight({ p: 0.001 }).weight).toBe(1);
  expect(weight({ p: 0.0005 }).weight).toBeCloseTo(0.5);
  expect(weight({ p: 0.0001 }).weight).toBe(0.3);
  expect(weight({ p: 0.0001, leading: 'A', accessP: 0.0001 }).weight).toBe(0.1);
});

test('statistics alone never give 0; another module or a reviewed cluster may', () => {
  for (const leading of ['A', 'R', 'S', 'G'] as const) expect(weight({ p: 1e-12, leading }).weight).toBeGreaterThan(0);
  expect(weight({ isCorroborated: true })).toEqual({ weight: 0, review: true, reason: 'corroborated' });
  expect(weight({ isCorroborated: true, p: 0.5 }).weight).toBe(1);
});

test('a closed gate asks for a review, unless access itself is odd', () => {
  expect(weight({ gate: 0 })).toEqual({ weight: 1, review: true, reason: 'gate-closed' });
  expect(weight({ gate: 0, leading: 'A', accessP: 0.0005 })).toMatchObject({ weight: 0.5, reason: 'odd' });
});

test('in a new window all but access is advice', () => {
  expect(weight({ isNewWindow: true })).toEqual({ weight: 1, review: true, reason: 'new-window' });
  expect(weight({ isNewWindow: true, leading: 'A' }).weight).toBe(0.5);
  expect(weight({ isNewWindow: true, accessP: 0.0005 }).weight).toBe(0.5);
});

test('the smallest cohorts ask for reviews by access only', () => {
  expect(weight({ rule: cohortRule(10) })).toEqual({ weight: 1, review: false, reason: 'cohort-too-small' });
  expect(weight({ rule: cohortRule(10), leading: 'A' })).toEqual({
    weight: 1,
    review: true,
    reason: 'cohort-too-small',
  });
});

test('what is not known accuses nobody', () => {
  expect(weight({ p: null })).toEqual({ weight: 1, review: false, reason: 'unknown' });
});

test('a weight never rises as p falls', () => {
  const random = seeded(12);
  for (let round = 0; round < 300; round++) {
    const [one, other] = [random() * 0.002, random() * 0.002];
    const [low, high] = one < other ? [one, other] : [other, one];
    expect(weight({ p: low }).weight).toBeLessThanOrEqual(weight({ p: high }).weight);
  }
});

test('small cohorts have rules only, middling ones ask for reviews, large ones weigh', () => {
  expect([0, 63, 64, 511, 512, 2_994, 2_995].map((size) => cohortRule(size).from)).toEqual([
    0, 0, 64, 64, 512, 512, 2_995,
  ]);
  expect(cohortRule(63)).toMatchObject({ tests: ['A'], mayWeigh: false });
  expect(weight({ rule: cohortRule(511) })).toEqual({ weight: 1, review: true, reason: 'cohort-too-small' });
  // the least n with (1 - .001)^n <= .05
  expect(0.999 ** 2_995).toBeLessThanOrEqual(0.05);
  expect(0.999 ** 2_994).toBeGreaterThan(0.05);
});

test('the gate is the largest p-value of Benjamini and Hochberg', () => {
  // .01 <= .2 * 1/5, .05 <= .2 * 2/5, .12 <= .2 * 3/5, .5 > .2 * 4/5
  expect(gateThreshold([0.5, 0.01, 0.9, 0.05, 0.12])).toBe(0.12);
  expect(gateThreshold([0.3, 0.5, 0.9])).toBe(0);
  expect(gateThreshold([])).toBe(0);
  expect(gateThreshold([Number.NaN, 0.01])).toBe(0.01);
});

test('only the last ten thousand sessions open the gate', () => {
  const old = Array.from({ length: 100 }, () => 1e-6);
  const recent = Array.from({ length: 10_000 }, (_, index) => 0.5 + index / 30_000);
  expect(gateThreshold([...old, ...recent])).toBe(0);
  expect(gateThreshold([...recent.slice(100), ...old])).toBe(1e-6);
});

test('a fact that no session of the reference has asks for a review in any cohort, and lowers nothing by itself', () => {
  const small = { rule: cohortRule(20), hasUnseenAccess: true };
  expect(weight({ ...small, p: 0.048 })).toEqual({ weight: 1, review: true, reason: 'access' });
  expect(weight({ ...small, p: 0.048, hasUnseenAccess: false })).toEqual({
    weight: 1,
    review: false,
    reason: 'ordinary',
  });
  expect(weight({ ...small, p: null })).toMatchObject({ weight: 1 });
});
