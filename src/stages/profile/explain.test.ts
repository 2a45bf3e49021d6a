import { expect, test } from 'vitest';
import { honestRuns, madeUp, seeded } from '../../../test/support/behaviours.ts';
import { buildReference } from './build-reference.ts';
import { explainScore } from './explain.ts';
import { openReference } from './reference.ts';
import { scoreSession } from './score.ts';

const reference = openReference(buildReference(honestRuns(seeded(1), 2_400), { cohort: 'task', window: '1' }));

test('an explanation names the test, how many were as extreme, the cohort beside the session, and the event', () => {
  const score = scoreSession(reference, { behaviour: madeUp(seeded(5), { forbidden: 2 }), group: [] });
  const told = explainScore(reference, score);
  expect(told).toMatchObject({ test: 'A', sentence: '0 of 1,200 honest runs were as extreme', seq: 5 });
  expect(told?.reasons[0]).toEqual({
    ...{
      test: 'A',
      family: 'forbidden',
      feature: 'forbidden_opens',
      unit: 'count',
      value: 2,
      median: 0,
      range: [0, 0],
      seq: 5,
    },
  });
});

test('at most three families are named, each once, and only those that are odd', () => {
  const score = scoreSession(reference, {
    behaviour: madeUp(seeded(5), { forbidden: 1, long: 40, program: 'nc' }),
    group: [],
  });
  const reasons = explainScore(reference, score)?.reasons ?? [];
  expect(reasons).toHaveLength(3);
  expect(new Set(reasons.map(({ family }) => family)).size).toBe(3);
  expect(reasons.map(({ family }) => family)).toContain('forbidden');
});

test('values stand in the unit of their feature, not on the scale of scores', () => {
  const score = scoreSession(reference, { behaviour: madeUp(seeded(5), { long: 40 }), group: [] });
  const steps = explainScore(reference, score)?.reasons.find(({ feature }) => feature === 'steps');
  expect(steps?.value).toBeGreaterThan(200);
  expect(steps?.range[1]).toBeLessThanOrEqual(26);
  expect(steps?.median).toBeGreaterThan(4);
});

test('without a score there is nothing to explain', () => {
  const empty = openReference(buildReference([], { cohort: 'task', window: '1' }));
  expect(explainScore(empty, scoreSession(empty, { behaviour: madeUp(seeded(1)), group: [] }))).toBeNull();
});
