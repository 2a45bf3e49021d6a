import { expect, test } from 'vitest';
import { honestRuns, madeUp, seeded } from '../../../test/support/behaviours.ts';
import type { Behaviour } from './behaviour.ts';
import { buildReference, type HonestRun } from './build-reference.ts';
import { FEATURES } from './features.ts';
import { fitInThread, RefittedReference } from './fit-in-thread.ts';
import { openReference } from './reference.ts';
import { scoreSession } from './score.ts';

const COHORT = { cohort: 'task', window: 'w' };
const runs = honestRuns(seeded(2), 60);

test('a thread of its own makes the very reference, and this one goes on meanwhile', async () => {
  let turns = 0;
  const turning = setInterval(() => turns++, 1);
  const fitted = await fitInThread(runs, COHORT);
  clearInterval(turning);
  expect(fitted).toEqual(buildReference(runs, COHORT));
  expect(turns).toBeGreaterThan(1);
});

test('the reference in use is the old one until the new one is whole, and the last that was asked for stays', async () => {
  const refitted = new RefittedReference();
  expect(refitted.current).toBeNull();
  const [first, second] = [refitted.refit(runs, COHORT), refitted.refit(runs.slice(0, 30), COHORT)];
  expect(refitted.current).toBeNull();
  const [, last] = await Promise.all([first, second]);
  expect(refitted.current?.fittedDigest).toBe(last.fittedDigest);
  await expect(refitted.refit([{ id: 'x' }] as unknown as HonestRun[], COHORT)).rejects.toMatchObject({
    code: 'defect',
  });
  expect(refitted.current?.fittedDigest).toBe(last.fittedDigest);
});

test('a fit that takes too long is ended and told', async () => {
  await expect(fitInThread(runs, COHORT, 1)).rejects.toMatchObject({ code: 'defect' });
});

const filled = (value: number | null): Behaviour => ({ ...madeUp(seeded(1)), values: FEATURES.map(() => value) });

test.each([
  ['missing', null],
  ['constant', 4],
  ['infinite', Number.POSITIVE_INFINITY],
  ['not a number', Number.NaN],
  ['negative', -1e300],
])('a session with %s values has a p-value of its own, and does not poison the reference it is in', (_, value) => {
  const poisoned = [
    ...runs,
    ...Array.from({ length: 6 }, (_unused, at) => ({ id: `p-${at}`, group: `p-${at}`, behaviour: filled(value) })),
  ];
  const reference = openReference(buildReference(poisoned, COHORT));
  for (const behaviour of [filled(value), madeUp(seeded(9))]) {
    const { p } = scoreSession(reference, { behaviour, group: [] });
    expect(p === null || (p > 0 && p <= 1)).toBe(true);
  }
  const ordinary = scoreSession(reference, { behaviour: madeUp(seeded(9)), group: [] });
  expect(ordinary.p).toBeGreaterThan(0.02);
});

test('an empty session and an empty cohort are no error', () => {
  const nothing = {
    ...filled(null),
    executables: new Map(),
    prefixes: new Map(),
    bigrams: new Map(),
    fiveGrams: new Map(),
  };
  const score = scoreSession(openReference(buildReference(runs, COHORT)), { behaviour: nothing, group: [] });
  expect(score.p).toBeNull();
  expect(
    scoreSession(openReference(buildReference([], COHORT)), { behaviour: madeUp(seeded(1)), group: [] }).p,
  ).toBeNull();
});
