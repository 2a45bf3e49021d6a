import { expect, test } from 'vitest';
import { seeded } from '../../../test/support/behaviours.ts';
import {
  bet,
  binomialTail,
  hasShifted,
  type Martingale,
  NEW_MARTINGALE,
  SHIFT_WINDOW,
  shiftAlarm,
} from './shift-alarm.ts';

test('a binomial tail is the sum of its terms', () => {
  expect(binomialTail(4, 3, 0.5)).toBeCloseTo(5 / 16);
  expect(binomialTail(3, 1, 0.1)).toBeCloseTo(1 - 0.9 ** 3);
  expect(binomialTail(10, 0, 0.3)).toBe(1);
  expect(binomialTail(10, 11, 0.3)).toBe(0);
  expect(binomialTail(100_000, 50_000, 0.5)).toBeCloseTo(0.5013, 3);
});

const windowOf = (odd: number) => Array.from({ length: SHIFT_WINDOW }, (_, index) => (index < odd ? 0.01 : 0.5));

test('the alarm is raised at the count that .08 explains once in two thousand windows', () => {
  const least = Array.from({ length: SHIFT_WINDOW }, (_, odd) => odd).find(
    (odd) => binomialTail(SHIFT_WINDOW, odd, 0.08) <= 5e-4,
  ) as number;
  expect(shiftAlarm(windowOf(least))).toMatchObject({ odd: least, isAlarm: true });
  expect(shiftAlarm(windowOf(least - 1)).isAlarm).toBe(false);
});

test('fewer than two hundred sessions raise no alarm, and only the last two hundred count', () => {
  expect(shiftAlarm(windowOf(SHIFT_WINDOW).slice(1)).isAlarm).toBe(false);
  expect(shiftAlarm([...windowOf(SHIFT_WINDOW), ...windowOf(0)]).isAlarm).toBe(false);
});

test('honest windows are silent and a fifth of loud cheaters is not missed', () => {
  const random = seeded(2);
  const alarms = (share: number) =>
    Array.from({ length: 400 }, () => {
      return shiftAlarm(Array.from({ length: SHIFT_WINDOW }, () => (random() < share ? 0.001 : random())));
    }).filter(({ isAlarm }) => isAlarm).length;
  expect(alarms(0)).toBeLessThanOrEqual(1);
  expect(alarms(0.2)).toBeGreaterThanOrEqual(380);
});

function sessionsUntilShift(draw: () => number, most: number): number {
  let martingale: Martingale = NEW_MARTINGALE;
  while (!hasShifted(martingale) && martingale.sessions < most) martingale = bet(martingale, draw());
  return martingale.sessions;
}

test('the martingale notices a tenth of cheaters, and is patient with honest sessions', () => {
  const random = seeded(3);
  expect(sessionsUntilShift(() => (random() < 0.1 ? 0.001 : random()), 5_000)).toBeLessThan(1_000);
  const patient = Array.from({ length: 20 }, () => sessionsUntilShift(random, 4_000)).filter(
    (sessions) => sessions < 4_000,
  );
  expect(patient.length).toBeLessThanOrEqual(8);
});

test('p-values of 0, 1 and beyond, and many of them, leave numbers that can be compared', () => {
  let martingale = NEW_MARTINGALE;
  for (let round = 0; round < 500; round++) martingale = bet(martingale, round % 2 === 0 ? 0 : -1);
  expect(martingale.values.every(Number.isFinite)).toBe(true);
  expect(hasShifted(martingale)).toBe(true);
});
