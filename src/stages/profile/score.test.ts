import { expect, test } from 'vitest';
import { honestRuns, type MadeUp, madeUp, seeded } from '../../../test/support/behaviours.ts';
import { Tally } from './behaviour.ts';
import { buildReference, othersByRun } from './build-reference.ts';
import { openReference } from './reference.ts';
import { conformalP, SHARE_OF_ALPHA, scoreSession } from './score.ts';
import { binomialTail } from './shift-alarm.ts';

const COHORT = { cohort: 'task', window: '1' };
const LEVEL = 0.05;

function referenceOf(seed: number, count = 400) {
  return openReference(buildReference(honestRuns(seeded(seed), count), COHORT));
}

test('a conformal p-value counts ties as more extreme', () => {
  expect(conformalP(Float64Array.of(1, 2, 2, 3), 2)).toBe(4 / 5);
  expect(conformalP(Float64Array.of(1, 2, 2, 3), 4)).toBe(1 / 5);
  expect(conformalP(Float64Array.of(1, 2, 2, 3), null)).toBeNull();
  expect(conformalP(new Float64Array(), 2)).toBeNull();
});

test('the tests share the whole budget', () => {
  expect(Object.values(SHARE_OF_ALPHA).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
});

/** How many of honest sessions, each from a world of its own, are odd at a level. */
function flagged(worlds: number, perWorld: number, odd: MadeUp = {}) {
  let hits = 0;
  for (let world = 0; world < worlds; world++) {
    const reference = referenceOf(1_000 + world, 240);
    const random = seeded(50_000 + world);
    const runs = honestRuns(random, perWorld).map((run) => ({
      ...run,
      ...(odd.long ? { behaviour: madeUp(random, odd) } : {}),
    }));
    const others = othersByRun(runs);
    for (const run of runs) {
      const group = (others.get(run) ?? []).map(({ behaviour }) => behaviour);
      if ((scoreSession(reference, { behaviour: run.behaviour, group }).p ?? 1) <= LEVEL) hits++;
    }
  }
  return hits;
}

test('honest sessions are flagged at most as often as is promised, over many references', () => {
  const [worlds, perWorld] = [60, 16];
  const hits = flagged(worlds, perWorld);
  // more than chance explains at the promised rate, once in a thousand runs of another seed
  expect(binomialTail(worlds * perWorld, hits, LEVEL)).toBeGreaterThan(0.001);
  // and the promise is not kept by never flagging anybody
  expect(hits).toBeGreaterThan(0.2 * LEVEL * worlds * perWorld);
});

test('the promise is one about sessions like the reference: longer ones break it, and that shows', () => {
  expect(binomialTail(20 * 16, flagged(20, 16, { long: 3 }), LEVEL)).toBeLessThan(1e-6);
});

test('touching what is forbidden leads, with the least p-value that there is', () => {
  const reference = referenceOf(1);
  const score = scoreSession(reference, { behaviour: madeUp(seeded(5), { forbidden: 1 }), group: [] });
  expect(score).toMatchObject({ leading: 'A', asExtreme: 0, p: 1 / (reference.calibration.sessions + 1) });
  expect(score.families.A[0]).toMatchObject({ family: 'forbidden', feature: 'forbidden_opens' });
});

test('padding a session does not hide its access, and makes its shape odd too', () => {
  const reference = referenceOf(2);
  const lean = scoreSession(reference, { behaviour: madeUp(seeded(6), { forbidden: 1 }), group: [] });
  const padded = scoreSession(reference, { behaviour: madeUp(seeded(6), { forbidden: 1, long: 50 }), group: [] });
  expect(padded.p).toBe(lean.p);
  expect(padded.tests.A).toBe(lean.tests.A);
  expect(padded.tests.S ?? 0).toBeGreaterThan(lean.tests.S ?? 0);
});

test('a session of which nothing is known has no score', () => {
  const score = scoreSession(referenceOf(3, 60), { behaviour: new Tally().finish(), group: [] });
  expect(score).toMatchObject({ p: null, all: null, leading: null, asExtreme: 0 });
});

test('values without end and values that are no numbers are scored without harm', () => {
  const behaviour = madeUp(seeded(7));
  const values = behaviour.values.map((value, index) =>
    index % 3 === 0 ? Number.POSITIVE_INFINITY : index % 3 === 1 ? Number.NaN : value,
  );
  const { p, all } = scoreSession(referenceOf(4, 60), { behaviour: { ...behaviour, values }, group: [] });
  expect(Number.isFinite(all)).toBe(true);
  expect(p).toBeGreaterThan(0);
});

test('a cohort of equal sessions flags none that is like them', () => {
  const behaviour = madeUp(seeded(1));
  const equal = Array.from({ length: 40 }, (_, index) => ({ id: String(index), group: null, behaviour }));
  expect(scoreSession(openReference(buildReference(equal, COHORT)), { behaviour, group: [] }).p).toBe(1);
});
