import { randomOf } from '../../../src/bin/simulator/random.ts';
import { bet, hasShifted, NEW_MARTINGALE, SHIFT_WINDOW, shiftAlarm } from '../../../src/stages/profile/shift-alarm.ts';
import { gateThreshold } from '../../../src/stages/profile/weight.ts';
import { type Aim, aimOf } from '../measure.ts';
import type { ProfileRow } from './profile-row.ts';

const GROUPS = 500;
const WINDOWS = 400;
const SHARES = [5, 10, 20, 40] as const;
const MOST_SESSIONS = 20_000;
const DELAYS = 60;
const SEED = 41;

/** How soon a growing cluster of loud cheaters is noticed, and how often an honest cohort is taken for one. */
export function benchAlarms(pValues: (cheaterPercent: number, groups: number) => readonly number[]): {
  rows: readonly ProfileRow[];
  aims: readonly Aim[];
} {
  const random = randomOf(SEED);
  const honest = pValues(0, GROUPS);
  const loud = pValues(100, GROUPS / 4);
  const draw = (percent: number) => {
    const from = random.next() * 100 < percent ? loud : honest;
    return from[random.below(from.length)] ?? 1;
  };
  const alarmed = (percent: number) =>
    Array.from({ length: WINDOWS }, () => shiftAlarm(Array.from({ length: SHIFT_WINDOW }, () => draw(percent)))).filter(
      ({ isAlarm }) => isAlarm,
    ).length / WINDOWS;
  const quiet = alarmed(0);
  const found = SHARES.map((percent) => ({ percent, share: alarmed(percent) }));
  const rows: ProfileRow[] = [
    { name: `alarm: honest windows of ${SHIFT_WINDOW} that are alarmed`, value: quiet, n: WINDOWS },
    ...found.map(({ percent, share }) => ({
      name: `alarm: windows with ${percent} % loud cheaters that are alarmed`,
      value: share,
      n: WINDOWS,
    })),
    ...[0, 2, 5, 10].map((percent) => delayRow(percent, draw)),
    ...[0, 1, 10].map((percent) => {
      const threshold = gateThreshold(Array.from({ length: 10_000 }, () => draw(percent)));
      return {
        name: `gate: largest p that is acted on with ${percent} % loud cheaters in 10,000`,
        value: threshold,
        n: 10_000,
      };
    }),
  ];
  const twenty = found.find(({ percent }) => percent === 20)?.share ?? 0;
  const aims = [
    aimOf(
      '20 % loud cheaters alarmed within 200 trajectories',
      { value: twenty * 100, unit: '% of simulations' },
      { least: 95 },
    ),
    aimOf('honest windows without an alarm', { value: (1 - quiet) * 100, unit: '%' }, { least: 99 }),
  ];
  return { rows, aims };
}

/** After how many sessions the martingale alarms; half of the simulations are faster than the printed value. */
function delayRow(percent: number, draw: (percent: number) => number): ProfileRow {
  const delays = Array.from({ length: DELAYS }, () => {
    let martingale = NEW_MARTINGALE;
    while (!hasShifted(martingale) && martingale.sessions < MOST_SESSIONS) martingale = bet(martingale, draw(percent));
    return martingale.sessions;
  }).sort((one, other) => one - other);
  const note = `sessions, median; ${MOST_SESSIONS} means not within so many`;
  return {
    name: `martingale: delay with ${percent} % loud cheaters`,
    value: delays[DELAYS >>> 1] ?? 0,
    n: DELAYS,
    note,
  };
}
