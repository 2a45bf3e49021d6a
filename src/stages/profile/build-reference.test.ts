import { expect, test } from 'vitest';
import { honestRuns, madeUp, seeded } from '../../../test/support/behaviours.ts';
import { buildReference, splitRuns } from './build-reference.ts';
import { openReference, referenceSchema } from './reference.ts';
import { scoreSession } from './score.ts';

const COHORT = { cohort: 'task', window: '1' };

test('the same sessions in any order give the same reference, others another', () => {
  const runs = honestRuns(seeded(1), 60);
  const [one, turned] = [buildReference(runs, COHORT), buildReference(runs.toReversed(), COHORT)];
  expect(turned).toEqual(one);
  expect(turned.calibrationDigest).toBe(one.calibrationDigest);
  expect(buildReference(runs.slice(4), COHORT).calibrationDigest).not.toBe(one.calibrationDigest);
});

test('rollouts of one prompt never stand on both sides of the split', () => {
  for (const count of [1, 3, 40, 401]) {
    const { fitted, calibration } = splitRuns(honestRuns(seeded(count), count));
    expect(fitted.length + calibration.length).toBe(count);
    const prompts = new Set(fitted.map(({ group }) => group));
    expect(calibration.filter(({ group }) => prompts.has(group))).toEqual([]);
  }
});

test('no more than 4,096 sessions are fitted; the others calibrate', () => {
  const behaviour = madeUp(seeded(1));
  const runs = Array.from({ length: 9_000 }, (_, index) => ({ id: String(index), group: null, behaviour }));
  expect(splitRuns(runs).fitted).toHaveLength(4_096);
  expect(splitRuns(runs).calibration).toHaveLength(9_000 - 4_096);
});

test('a reference is plain JSON that scores alike when it is read again', () => {
  const reference = buildReference(honestRuns(seeded(2), 80), COHORT);
  const read = referenceSchema.parse(JSON.parse(JSON.stringify(reference)));
  const asked = { behaviour: madeUp(seeded(9), { program: 'nc' }), group: [] };
  expect(scoreSession(openReference(read), asked)).toEqual(scoreSession(openReference(reference), asked));
});

test('a reference of nothing knows nothing and accuses nobody', () => {
  const empty = openReference(buildReference([], COHORT));
  expect(scoreSession(empty, { behaviour: madeUp(seeded(1)), group: [] })).toMatchObject({
    p: null,
    all: null,
    leading: null,
  });
});

test('references of any few sessions hold finite numbers only', () => {
  for (let count = 0; count < 40; count++) {
    const runs = honestRuns(seeded(100 + count), count);
    expect(() => referenceSchema.parse(buildReference(runs, COHORT))).not.toThrow();
  }
});
