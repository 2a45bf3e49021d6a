import { expect, test } from 'vitest';
import { madeUp, seeded } from '../../../test/support/behaviours.ts';
import { type Behaviour, Tally } from './behaviour.ts';
import { fitLabels, LEAST_LABELS } from './label-score.ts';

const random = seeded(1);
const sessions = (count: number, program?: string) =>
  Array.from({ length: count }, () => madeUp(random, program === undefined ? {} : { program }));
const labels = (count: number, program = 'nc') =>
  sessions(count, program).map((behaviour) => ({ behaviour, isCheat: true }));

/** Sessions by their calls. */
function calling(calls: Readonly<Record<string, number>>): Behaviour {
  const tally = new Tally();
  for (const [call, count] of Object.entries(calls)) tally.calls.set(call, count);
  return tally.finish();
}

test('below a hundred labels, or without a labelled cheat, there is no such score', () => {
  const set = { honest: sessions(5), calibration: sessions(5) };
  expect(fitLabels({ ...set, labels: labels(LEAST_LABELS - 1) })).toBeNull();
  expect(
    fitLabels({ ...set, labels: sessions(LEAST_LABELS).map((behaviour) => ({ behaviour, isCheat: false })) }),
  ).toBeNull();
  expect(fitLabels({ ...set, labels: labels(LEAST_LABELS) })).not.toBeNull();
});

test('the score is the log of the ratio of distances', () => {
  const cheat = calling({ ptrace: 1 });
  const score = fitLabels({
    ...{ labels: Array.from({ length: LEAST_LABELS }, () => ({ behaviour: cheat, isCheat: true })) },
    ...{ honest: [calling({ read: 1 })], calibration: [] },
  });
  // a copy of the cheat: distance 0 to it and the square root of 2 to the honest one
  expect(score?.score(cheat)).toBeCloseTo(Math.log((Math.SQRT2 + 0.2) / 0.2));
  expect(score?.score(calling({ read: 5 }))).toBeCloseTo(-Math.log((Math.SQRT2 + 0.2) / 0.2));
  expect(score?.score(calling({ fork: 5 }))).toBeCloseTo(0);
  expect(score?.p(cheat)).toBeNull();
});

test('sessions like labelled cheats are odder than honest ones, and honest ones keep their error', () => {
  const score = fitLabels({ labels: labels(120), honest: sessions(150), calibration: sessions(199) });
  const share = (asked: readonly Behaviour[]) =>
    asked.filter((one) => (score?.p(one) ?? 1) <= 0.05).length / asked.length;
  expect(share(sessions(60, 'nc'))).toBeGreaterThan(0.5);
  expect(share(sessions(200))).toBeLessThan(0.12);
});

test('the same labels give the same scores, and a session of nothing is harmless', () => {
  const set = { labels: labels(100), honest: sessions(30), calibration: sessions(30) };
  const asked = madeUp(seeded(5));
  expect(fitLabels(set)?.score(asked)).toBe(fitLabels(set)?.score(asked));
  expect(fitLabels(set)?.score(new Tally().finish())).toBeCloseTo(0);
});
