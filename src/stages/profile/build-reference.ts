import { createHash } from 'node:crypto';
import { digestOfJson } from '../../platform/base/digest.ts';
import type { Behaviour } from './behaviour.ts';
import { centreGroup } from './centre-group.ts';
import { FEATURES } from './features.ts';
import { measureRarity, shapeOf } from './measure-rarity.ts';
import { type Fitted, openFitted, perTest, type Reference, SCORE_VERSION } from './reference.ts';
import { scoreTests } from './score.ts';
import { makeColumn } from './tail.ts';
import { makeVocabulary, openVocabulary } from './vocabulary.ts';

/** An honest session of a cohort, as admission let it in. */
export interface HonestRun {
  readonly id: string;
  /** Its prompt: rollouts of one are compared with each other, and never stand on both sides of the split. Null: it is alone. */
  readonly group: string | null;
  readonly behaviour: Behaviour;
}

/** Whose reference it is. */
export interface CohortWindow {
  readonly cohort: string;
  readonly window: string;
}

/** Sessions that are fitted at most: more make quantiles no better, and what is over makes calibration finer. */
const MOST_FITTED = 4_096;

/** A reference of honest sessions: one half of them is fitted, the other calibrates. The same sessions give the same bytes. */
export function buildReference(runs: readonly HonestRun[], cohort: CohortWindow): Reference {
  const { fitted, calibration } = splitRuns(runs);
  return calibrate(fitSessions(fitted, cohort), calibration);
}

/** Cuts honest sessions in two by a hash of their prompts, or of their ids; no more than 4,096 are to be fitted. */
export function splitRuns(runs: readonly HonestRun[]): { fitted: HonestRun[]; calibration: HonestRun[] } {
  const placed = runs
    .map((run) => ({ run, place: placeOf(run.group ?? run.id), id: run.id }))
    .sort((one, other) => (one.place < other.place ? -1 : one.place > other.place ? 1 : one.id < other.id ? -1 : 1));
  const middle = Math.min(MOST_FITTED, placed.length >>> 1);
  let [cut, later] = [middle, middle];
  while (cut > 0 && cut < placed.length && placed[cut]?.place === placed[cut - 1]?.place) cut--;
  while (later > 0 && later < placed.length && placed[later]?.place === placed[later - 1]?.place) later++;
  // the nearer end of the prompt that lies across the middle, so that one large prompt leaves neither side empty
  if (later < placed.length && later - middle < middle - cut) cut = later;
  const sorted = placed.map(({ run }) => run);
  return { fitted: sorted.slice(0, cut), calibration: sorted.slice(cut) };
}

/** What scores are computed from; see {@link Fitted}. */
export function fitSessions(runs: readonly HonestRun[], { cohort, window }: CohortWindow): Fitted {
  const vocabulary = makeVocabulary(runs.map(({ behaviour }) => behaviour));
  const open = openVocabulary(vocabulary);
  const measured = runs.map(({ behaviour }) => measureRarity(behaviour, open, true).values);
  const columns = FEATURES.map((_, index) => makeColumn(measured.map((values) => values[index] ?? null)));
  const shapes = new Map(runs.map((run) => [run, shapeOf(run.behaviour)]));
  const others = othersByRun(runs);
  const centred = runs.map((run, index) => {
    const group = (others.get(run) ?? []).map((other) => shapes.get(other) ?? []);
    return centreGroup(measured[index] ?? [], group, columns);
  });
  const groupColumns = FEATURES.map((_, index) => makeColumn(centred.map((values) => values[index] ?? null)));
  const draft: Fitted = {
    ...{ version: SCORE_VERSION, cohort, window, sessions: runs.length, vocabulary },
    columns: columns.map((column) => Array.from(column?.sorted ?? [])),
    groupColumns: groupColumns.map((column) => Array.from(column?.sorted ?? [])),
    tests: perTest(() => []),
  };
  const forScores = openFitted(draft);
  const scores = runs.map((run) =>
    scoreTests(forScores, { behaviour: run.behaviour, group: groupOf(others, run) }, true),
  );
  const tests = perTest((test) => Array.from(makeColumn(scores.map((score) => score.tests[test]))?.sorted ?? []));
  return { ...draft, tests };
}

/** A reference of what was fitted, calibrated on sessions that had no part in it. */
export function calibrate(fitted: Fitted, runs: readonly HonestRun[]): Reference {
  const open = openFitted(fitted);
  const others = othersByRun(runs);
  const scores = runs.map((run) => scoreTests(open, { behaviour: run.behaviour, group: groupOf(others, run) }));
  const calibration = {
    sessions: runs.length,
    all: risingOf(scores.map(({ all }) => all)),
    tests: perTest((test) => risingOf(scores.map(({ tests }) => tests[test]))),
  };
  const fittedDigest = digestOfJson(fitted);
  return { fitted, fittedDigest, calibration, calibrationDigest: digestOfJson({ fittedDigest, calibration }) };
}

/** The other rollouts of each session's prompt. */
export function othersByRun(runs: readonly HonestRun[]): ReadonlyMap<HonestRun, readonly HonestRun[]> {
  const groups = new Map<string, HonestRun[]>();
  for (const run of runs) {
    if (run.group === null) continue;
    const members = groups.get(run.group);
    if (members === undefined) groups.set(run.group, [run]);
    else members.push(run);
  }
  return new Map(
    runs.map((run) => [run, run.group === null ? [] : (groups.get(run.group) ?? []).filter((other) => other !== run)]),
  );
}

function groupOf(others: ReadonlyMap<HonestRun, readonly HonestRun[]>, run: HonestRun): readonly Behaviour[] {
  return (others.get(run) ?? []).map(({ behaviour }) => behaviour);
}

function risingOf(values: readonly (number | null)[]): number[] {
  return Array.from(makeColumn(values)?.sorted ?? []);
}

function placeOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
