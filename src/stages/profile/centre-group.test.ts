import { expect, test } from 'vitest';
import { centreGroup } from './centre-group.ts';
import { FEATURE_AT, FEATURES } from './features.ts';
import { makeColumn } from './tail.ts';

const AT = FEATURE_AT.steps;
const valuesOf = (steps: number | null, forbidden = 0) =>
  FEATURES.map(({ name }) => (name === 'steps' ? steps : name === 'forbidden_opens' ? forbidden : null));
/** The cohort's values: 0 to 10, median 5; nobody touched anything forbidden. */
const COLUMNS = FEATURES.map(({ name }) =>
  name === 'steps'
    ? makeColumn([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    : name === 'forbidden_opens'
      ? makeColumn([0, 0, 0])
      : null,
);

test('the centre is the median of the others, drawn towards the cohort by as much as three sessions', () => {
  const centred = centreGroup(valuesOf(9), [valuesOf(1), valuesOf(2), valuesOf(9)], COLUMNS);
  expect(centred[AT]).toBeCloseTo(9 - (0.5 * 2 + 0.5 * 5));
  expect(centreGroup(valuesOf(9), [valuesOf(1), valuesOf(3)], COLUMNS)[AT]).toBeCloseTo(9 - (0.4 * 2 + 0.6 * 5));
});

test('with fewer than two others there is no centre, and what is no shape has none', () => {
  expect(centreGroup(valuesOf(9), [valuesOf(1)], COLUMNS).every((value) => value === null)).toBe(true);
  expect(centreGroup(valuesOf(9), [valuesOf(1), valuesOf(null)], COLUMNS)[AT]).toBeNull();
  expect(centreGroup(valuesOf(9), [valuesOf(1), valuesOf(2)], COLUMNS)[FEATURE_AT.forbidden_opens]).toBeNull();
});

test('among others of whom more than a third are odd themselves nobody is measured by the group', () => {
  expect(centreGroup(valuesOf(5), [valuesOf(1, 1), valuesOf(2), valuesOf(3)], COLUMNS)[AT]).not.toBeNull();
  expect(centreGroup(valuesOf(5), [valuesOf(1, 1), valuesOf(2, 1), valuesOf(3)], COLUMNS)[AT]).toBeNull();
});
