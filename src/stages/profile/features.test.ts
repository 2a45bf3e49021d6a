import { expect, test } from 'vitest';
import { FEATURE_AT, FEATURES, featureSchema, transformed } from './features.ts';

test('every feature has a name of its own, a place, and holds to the schema', () => {
  expect(new Set(FEATURES.map(({ name }) => name)).size).toBe(FEATURES.length);
  FEATURES.forEach((feature, index) => {
    expect(featureSchema.parse(feature)).toEqual(feature);
    expect(FEATURE_AT[feature.name]).toBe(index);
  });
});

test('what is missing or no number stays missing', () => {
  for (const transform of ['log1p', 'logit', 'none'] as const) {
    expect(transformed({ transform }, null)).toBeNull();
    expect(transformed({ transform }, Number.NaN)).toBeNull();
  }
});

test('infinities become the largest finite values, so that they stay the most extreme', () => {
  expect(transformed({ transform: 'none' }, Number.POSITIVE_INFINITY)).toBe(1e15);
  expect(transformed({ transform: 'none' }, Number.NEGATIVE_INFINITY)).toBe(-1e15);
  expect(transformed({ transform: 'log1p' }, Number.POSITIVE_INFINITY)).toBeCloseTo(Math.log1p(1e15));
  expect(Number.isFinite(transformed({ transform: 'logit' }, Number.POSITIVE_INFINITY) ?? Number.NaN)).toBe(true);
});

test('a share of few is less sure than the same share of many', () => {
  expect(transformed({ transform: 'logit' }, 0, 3)).toBeCloseTo(Math.log(0.5 / 3.5));
  expect(transformed({ transform: 'logit' }, 0, 300)).toBeCloseTo(Math.log(0.5 / 300.5));
  expect(transformed({ transform: 'logit' }, 0.5, 8)).toBe(0);
});

test('counts below nothing count as nothing', () => {
  expect(transformed({ transform: 'log1p' }, -5)).toBe(0);
});
