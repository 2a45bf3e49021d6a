import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Random, randomOf } from '../../../src/bin/simulator/random.ts';
import type { Behaviour } from '../../../src/stages/profile/behaviour.ts';
import { calibrate, fitSessions, type HonestRun } from '../../../src/stages/profile/build-reference.ts';
import { extractTrajectory } from '../../../src/stages/profile/extract-trajectory.ts';
import { shareOf } from '../../../src/stages/profile/interval.ts';
import { fitLabels } from '../../../src/stages/profile/label-score.ts';
import { openReference } from '../../../src/stages/profile/reference.ts';
import { scoreSession } from '../../../src/stages/profile/score.ts';
import { countAtLeast } from '../../../src/stages/profile/tail.ts';
import { type Aim, aimOf } from '../measure.ts';
import type { ProfileRow } from './profile-row.ts';
import { readZip } from './read-zip.ts';

const LABELS = 100;
const LEVEL = 0.001;
const PARTS = 10;
/** Draws of labels and cuts of the normal traces; results are averaged. */
const DRAWS = 8;
const SEED = 21;
/** On these families the views, the neighbours and the softening of the label score were chosen by recall at 0.1 %; not on the others. */
const DEVELOPED_ON = ['Adduser', 'Web_Shell', 'Java_Meterpreter'];
const NO_FACTS = { workspace: '/work', forbiddenPaths: [], harnessPaths: [], decoyPaths: [] };

interface Traces {
  readonly normal: readonly Behaviour[];
  readonly attacks: ReadonlyMap<string, readonly Behaviour[]>;
}

/**
 * ADFA-LD's system-call traces. Labels are 100 attacks of the *other* five families; the sixth is unseen. Normal traces are cut at
 * random in ten: one part is tested; of the other nine each calibrates once, against the other eight as honest neighbours
 * (cross-conformal, as for the runs of SWE-agent), so that about 4,680 normal traces set the threshold and none of the tested does.
 */
export function benchAdfa(folder: string): { rows: readonly ProfileRow[]; aims: readonly Aim[] } {
  const { normal, attacks } = readTraces(folder);
  const random = randomOf(SEED);
  const found = new Map<string, number[]>([...attacks.keys()].map((family) => [family, []]));
  let [flagged, tested] = [0, 0];
  for (let draw = 0; draw < DRAWS; draw++) {
    const mixed = shuffled(normal, random);
    const parts = Array.from({ length: PARTS }, (_, part) => mixed.filter((__, index) => index % PARTS === part));
    for (const [unseen, traces] of attacks) {
      const others = [...attacks].filter(([family]) => family !== unseen).flatMap(([, some]) => some);
      const pOf = labelled(shuffled(others, random).slice(0, LABELS), parts.slice(1));
      const isFound = (behaviour: Behaviour) => pOf(behaviour) <= LEVEL;
      found.get(unseen)?.push(traces.filter(isFound).length / traces.length);
      const some = (parts[0] ?? []).filter((_, index) => index % attacks.size === [...attacks.keys()].indexOf(unseen));
      flagged += some.filter(isFound).length;
      tested += some.length;
    }
    process.stderr.write(`ADFA-LD: draw ${draw + 1} of ${DRAWS}\n`);
  }
  const families = [...found].map(([family, shares]) => ({ family, recall: mean(shares) }));
  const kept = families.filter(({ family }) => !DEVELOPED_ON.includes(family));
  const { share, low, high } = shareOf(flagged, tested);
  const rows: ProfileRow[] = [
    ...families.map(({ family, recall }) => ({
      ...{ name: `ADFA-LD, ${family} unseen, ${LABELS} labels: recall at 0.1 %`, value: recall },
      n: attacks.get(family)?.length ?? 0,
    })),
    {
      ...{ name: 'ADFA-LD, the three families that nothing was chosen on: recall at 0.1 %', n: kept.length },
      value: mean(kept.map(({ recall }) => recall)),
    },
    { name: 'ADFA-LD, labels: normal traces flagged at 0.1 %', value: share, n: tested, hits: flagged, low, high },
    ...unsupervised({ normal, attacks }, randomOf(SEED)),
  ];
  const recall = mean(families.map((one) => one.recall));
  const name = 'ADFA-LD: recall at 0.1 %, 100 labels, unseen family';
  return { rows, aims: [aimOf(name, { value: recall * 100, unit: '%' }, { least: 20 })] };
}

/** Cross-conformal p-values of the label score. */
function labelled(cheats: readonly Behaviour[], parts: readonly (readonly Behaviour[])[]): (one: Behaviour) => number {
  const labels = cheats.map((behaviour) => ({ behaviour, isCheat: true }));
  const scores = parts.map((calibration, left) => {
    const honest = parts.filter((_, part) => part !== left).flat();
    const score = fitLabels({ labels, honest, calibration });
    if (score === null) throw new Error('there are too few labels');
    return score;
  });
  const all = parts.flat().length;
  return (behaviour) => {
    const extreme = scores.reduce(
      (sum, { calibration, score }) => sum + countAtLeast(calibration, score(behaviour)),
      0,
    );
    return (1 + extreme) / (all + 1);
  };
}

/** The tests without any label, for comparison. */
function unsupervised({ normal, attacks }: Traces, random: Random): readonly ProfileRow[] {
  const { reference, calibration, rest } = cut(normal, random);
  const runs = (some: readonly Behaviour[]): HonestRun[] =>
    some.map((behaviour, index) => ({ id: String(index), group: null, behaviour }));
  const fitted = fitSessions(runs(reference), { cohort: 'adfa', window: 'bench' });
  const open = openReference(calibrate(fitted, runs(calibration)));
  const told = (some: readonly Behaviour[]) => some.map((behaviour) => scoreSession(open, { behaviour, group: [] }));
  const [honest, attacking] = [told(rest), told([...attacks.values()].flat())];
  const share = (scores: ReturnType<typeof told>, level: number) =>
    scores.filter(({ p }) => p !== null && p <= level).length / scores.length;
  const area = areaUnder(
    honest.map(({ all }) => all ?? 0),
    attacking.map(({ all }) => all ?? 0),
  );
  return [
    { name: 'ADFA-LD, no labels: area under the curve', value: area, n: attacking.length },
    ...[0.01, 0.001].flatMap((level) => [
      { name: `ADFA-LD, no labels: recall at ${level * 100} %`, value: share(attacking, level), n: attacking.length },
      {
        name: `ADFA-LD, no labels: normal traces flagged at ${level * 100} %`,
        value: share(honest, level),
        n: honest.length,
      },
    ]),
  ];
}

function cut(normal: readonly Behaviour[], random: Random) {
  const mixed = shuffled(normal, random);
  return { reference: mixed.slice(0, 2_205), calibration: mixed.slice(2_205, 3_705), rest: mixed.slice(3_705) };
}

function readTraces(folder: string): Traces {
  const normal: Behaviour[] = [];
  const attacks = new Map<string, Behaviour[]>();
  for (const { name, text } of readZip(readFileSync(join(folder, 'adfa-ld.zip')))) {
    const [, set, kind = ''] = name.split('/');
    if (!name.endsWith('.txt') || set === undefined || kind === '') continue;
    const calls = text().trim().split(/\s+/);
    const behaviour = extractTrajectory({ steps: [{ command: '', calls }] }, NO_FACTS);
    if (set.startsWith('Attack')) {
      const family = kind.replace(/_\d+$/, '');
      attacks.set(family, [...(attacks.get(family) ?? []), behaviour]);
    } else normal.push(behaviour);
  }
  return { normal, attacks };
}

/** The share of pairs in which the attack scores higher; ties count one half. */
function areaUnder(honest: readonly number[], attacking: readonly number[]): number {
  const sorted = Float64Array.from(honest).sort();
  let below = 0;
  for (const score of attacking) {
    let [from, to] = [0, sorted.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((sorted[middle] as number) < score) from = middle + 1;
      else to = middle;
    }
    let last = from;
    while (last < sorted.length && sorted[last] === score) last++;
    below += (from + last) / 2;
  }
  return below / (sorted.length * attacking.length);
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  return items
    .map((item) => ({ item, key: random.next() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
