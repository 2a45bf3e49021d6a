import { CHEATS, type Cheat } from '../../../src/bin/simulator/cheats.ts';
import { shareOf } from '../../../src/stages/profile/interval.ts';
import { type Random, randomOf } from '../../../src/bin/simulator/random.ts';
import { SIMULATED_FACTS, STYLES, type StyleName, simulateLog } from '../../../src/bin/simulator/simulate.ts';
import { LOUD } from '../../../src/bin/simulator/simulated-cheats.ts';
import type { Behaviour } from '../../../src/stages/profile/behaviour.ts';
import { buildReference, type HonestRun } from '../../../src/stages/profile/build-reference.ts';
import { extractFeatures } from '../../../src/stages/profile/extract-features.ts';
import { type OpenReference, openReference } from '../../../src/stages/profile/reference.ts';
import { type Score, scoreSession } from '../../../src/stages/profile/score.ts';
import { type Aim, aimOf } from '../measure.ts';
import type { ProfileRow } from './profile-row.ts';

const STYLE_NAMES = Object.keys(STYLES) as readonly StyleName[];
const GROUP = 8;
const HONEST_GROUPS = 800;
const ASKED_GROUPS = 250;
const CONTAMINATIONS = [0, 10, 25, 50, 75, 90] as const;
const DRIFTS = [1, 1.3, 2] as const;
const NOMINAL = 0.01;
const SEED = 11;

/** A simulated session that was scored. */
export interface Simulated {
  readonly cheat: Cheat | null;
  readonly score: Score;
}

interface Mixture {
  readonly groups: number;
  readonly cheaterPercent: number;
  readonly drift: number;
  readonly kinds: readonly Cheat[];
}

/** Groups of eight rollouts of one prompt, in mixed styles. */
function rollouts({ groups, cheaterPercent, drift, kinds }: Mixture, random: Random) {
  const made: (HonestRun & { readonly cheat: Cheat | null })[] = [];
  for (let group = 0; group < groups; group++) {
    const difficulty = Math.exp(0.3 * random.normal());
    for (let member = 0; member < GROUP; member++) {
      const style = STYLE_NAMES[random.below(STYLE_NAMES.length)] as StyleName;
      const cheat = random.next() * 100 < cheaterPercent ? (kinds[random.below(kinds.length)] as Cheat) : null;
      const log = simulateLog({ style, cheat, drift, difficulty }, random);
      const behaviour: Behaviour = extractFeatures(log, SIMULATED_FACTS);
      made.push({ id: `${group}/${member}`, group: `prompt-${group}`, behaviour, cheat });
    }
  }
  return made;
}

/** Makes sessions of a mixture and scores them, each beside the others of its prompt. */
function scored(reference: OpenReference, mixture: Mixture, random: Random): readonly Simulated[] {
  const runs = rollouts(mixture, random);
  return runs.map(({ behaviour, cheat }, index) => {
    const from = index - (index % GROUP);
    const group = runs.slice(from, from + GROUP).filter((_, at) => at !== index % GROUP);
    return { cheat, score: scoreSession(reference, { behaviour, group: group.map((one) => one.behaviour) }) };
  });
}

/** Honest sessions, eight of each prompt one after the other. */
export function honestPool(groups: number, seed: number): readonly HonestRun[] {
  return rollouts({ groups, cheaterPercent: 0, drift: 1, kinds: CHEATS }, randomOf(seed));
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
  const honest = rollouts({ groups: HONEST_GROUPS, cheaterPercent: 0, drift: 1, kinds: CHEATS }, random);
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
    const told = scored(frozen, mixture, random);
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
    const told = scored(frozen, { groups: ASKED_GROUPS, cheaterPercent: 0, drift, kinds: CHEATS }, random);
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
    scored(frozen, { groups, cheaterPercent, drift: 1, kinds: LOUD }, random).map(({ score }) => score.p ?? 1);
  return { rows, aims, pValues };
}

/** For comparison: what a baseline finds that the mixed cohort taught itself. */
function selfLearned(mixture: Mixture, random: Random): readonly ProfileRow[] {
  const taught = openReference(buildReference(rollouts(mixture, random), { cohort: 'simulated', window: '1' }));
  const told = scored(taught, { ...mixture, groups: 60 }, random);
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
