import { CHEATS } from '../../../src/bin/simulator/cheats.ts';
import { type Random, randomOf } from '../../../src/bin/simulator/random.ts';
import {
  type Mixture,
  type Simulated,
  scoreCohort,
  simulateCohort,
} from '../../../src/bin/simulator/simulate-cohort.ts';
import { LOUD } from '../../../src/bin/simulator/simulated-cheats.ts';
import { buildReference, type HonestRun } from '../../../src/stages/profile/build-reference.ts';
import { shareOf } from '../../../src/stages/profile/interval.ts';
import { openReference } from '../../../src/stages/profile/reference.ts';
import { type Aim, aimOf } from '../measure.ts';
import type { ProfileRow } from './profile-row.ts';

const HONEST_GROUPS = 800;
const ASKED_GROUPS = 250;
const CONTAMINATIONS = [0, 10, 25, 50, 75, 90] as const;
const DRIFTS = [1, 1.3, 2] as const;
const NOMINAL = 0.01;
const SEED = 11;

/** Honest sessions, eight of each prompt one after the other. */
export function honestPool(groups: number, seed: number): readonly HonestRun[] {
  return simulateCohort({ groups, cheaterPercent: 0, drift: 1, kinds: CHEATS }, randomOf(seed));
}

/** What the simulator gives: its rows, and a scorer for the alarms. */
export interface SimulatedBench {
  readonly rows: readonly ProfileRow[];
  readonly aims: readonly Aim[];
  /** p-values of sessions of which so many percent are loud cheaters. */
  readonly pValues: (cheaterPercent: number, groups: number) => readonly number[];
}

/** A frozen reference of honest styles against cohorts with up to 90 % of cheaters, and against honest drift. */
export function benchSimulated(): SimulatedBench {
  const random = randomOf(SEED);
  const honest = simulateCohort({ groups: HONEST_GROUPS, cheaterPercent: 0, drift: 1, kinds: CHEATS }, random);
  const frozen = openReference(buildReference(honest, { cohort: 'simulated', window: '1' }));
  const rows: ProfileRow[] = [];
  let worst = 0;
  for (const cheaterPercent of CONTAMINATIONS) {
    const mixture = {
      groups: cheaterPercent === 90 ? ASKED_GROUPS * 4 : ASKED_GROUPS,
      cheaterPercent,
      drift: 1,
      kinds: CHEATS,
    };
    const told = scoreCohort(frozen, mixture, random);
    const flagged = flags(told.filter(({ cheat }) => cheat === null));
    if (cheaterPercent === 90) worst = flagged.share;
    rows.push({
      name: `simulated, ${cheaterPercent} % cheaters, frozen reference: honest flagged at 1 %`,
      value: flagged.share,
      n: flagged.of,
      ...boundsOf(flagged),
    });
    if (cheaterPercent === 0) continue;
    const found = flags(told.filter(({ cheat }) => cheat !== null));
    rows.push({
      name: `simulated, ${cheaterPercent} % cheaters, frozen reference: cheaters found at 1 %`,
      value: found.share,
      n: found.of,
    });
    rows.push(...selfLearned(mixture, random));
    if (cheaterPercent === 10) rows.push(...byKind(told));
  }
  for (const drift of DRIFTS) {
    const told = scoreCohort(frozen, { groups: ASKED_GROUPS, cheaterPercent: 0, drift, kinds: CHEATS }, random);
    rows.push(...driftRows(told, drift));
  }
  const aims = [
    aimOf(
      'honest flagged at a nominal 1 %, 90 % cheaters, over nominal',
      { value: worst / NOMINAL, unit: '×' },
      { most: 2 },
    ),
  ];
  const pValues = (cheaterPercent: number, groups: number) =>
    scoreCohort(frozen, { groups, cheaterPercent, drift: 1, kinds: LOUD }, random).map(({ score }) => score.p ?? 1);
  return { rows, aims, pValues };
}

/** For comparison: what a baseline finds that the mixed cohort taught itself. */
function selfLearned(mixture: Mixture, random: Random): readonly ProfileRow[] {
  const taught = openReference(buildReference(simulateCohort(mixture, random), { cohort: 'simulated', window: '1' }));
  const told = scoreCohort(taught, { ...mixture, groups: 60 }, random);
  const found = flags(told.filter(({ cheat }) => cheat !== null));
  const flagged = flags(told.filter(({ cheat }) => cheat === null));
  const name = `simulated, ${mixture.cheaterPercent} % cheaters, self-learned baseline (not offered)`;
  return [
    { name: `${name}: cheaters found at 1 %`, value: found.share, n: found.of },
    { name: `${name}: honest flagged at 1 %`, value: flagged.share, n: flagged.of },
  ];
}

function byKind(told: readonly Simulated[]): readonly ProfileRow[] {
  return CHEATS.map((kind) => {
    const found = flags(told.filter(({ cheat }) => cheat === kind));
    return { name: `simulated, ${kind}: found at 1 %`, value: found.share, n: found.of };
  });
}

function driftRows(told: readonly Simulated[], drift: number): readonly ProfileRow[] {
  return (['A', 'R', 'S', 'G'] as const).map((test) => {
    const flagged = shareOf(told.filter(({ score }) => (score.testP[test] ?? 1) <= NOMINAL).length, told.length);
    return {
      name: `simulated, honest drift × ${drift}: flagged by ${test} at 1 %`,
      value: flagged.share,
      n: told.length,
      ...boundsOf(flagged),
    };
  });
}

function flags(told: readonly Simulated[]) {
  return shareOf(told.filter(({ score }) => score.p !== null && score.p <= NOMINAL).length, told.length);
}

function boundsOf({ hits, low, high }: ReturnType<typeof shareOf>) {
  return { hits, low, high };
}
