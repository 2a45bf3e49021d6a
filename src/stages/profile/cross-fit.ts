import { createHash } from 'node:crypto';
import { fitSessions, type HonestRun, othersByRun } from './build-reference.ts';
import { openFitted } from './reference.ts';
import { type RawScore, type Scored, scoreTests } from './score.ts';
import { countAtLeast, makeColumn } from './tail.ts';

/** Sessions of one cohort that may be learned from. */
export interface Cohort {
  readonly name: string;
  readonly runs: readonly HonestRun[];
}

/** A session to be judged, and the cohort that it belongs to. */
export interface Asked extends Scored {
  readonly cohort: string;
}

/** One fit of a part of the honest sessions, with what was left out of it. */
export interface FoldView {
  readonly fitted: readonly { readonly score: RawScore }[];
  readonly calibration: readonly { readonly score: RawScore }[];
  readonly asked: readonly { readonly score: RawScore }[];
}

const INNER_FOLDS = 5;
const NONE_RUNS: readonly HonestRun[] = [];

/**
 * Cross-conformal p-values (Vovk 2015): the honest sessions are cut by task into five parts; each part is scored by a fit of the
 * other four, and every asked session by all five fits, against the part that each of them left out. So all honest sessions
 * calibrate, none by a fit that has seen its task, and the threshold comes from them alone. One fit for each cohort; the scores of
 * all cohorts calibrate together.
 */
export function crossFit(
  cohorts: readonly Cohort[],
  asked: readonly Asked[],
  onFold: (view: FoldView) => void = () => undefined,
): readonly (number | null)[] {
  const asExtreme = asked.map(() => 0);
  const isKnown = asked.map(() => true);
  let calibrated = 0;
  for (let fold = 0; fold < INNER_FOLDS; fold++) {
    const view = scoreFold(cohorts, asked, fold);
    const scores = makeColumn(view.calibration.map(({ score }) => score.all))?.sorted ?? new Float64Array();
    calibrated += scores.length;
    view.asked.forEach(({ score }, index) => {
      if (score.all === null) isKnown[index] = false;
      else asExtreme[index] = (asExtreme[index] ?? 0) + countAtLeast(scores, score.all);
    });
    onFold(view);
  }
  return asExtreme.map((extreme, index) => (isKnown[index] ? (1 + extreme) / (calibrated + 1) : null));
}

function scoreFold(cohorts: readonly Cohort[], asked: readonly Asked[], fold: number): FoldView {
  const view = { fitted: [] as { score: RawScore }[], calibration: [] as { score: RawScore }[] };
  const answers = new Array<{ score: RawScore }>(asked.length);
  for (const { name, runs } of cohorts) {
    const left = runs.filter((run) => partOf(run.group ?? run.id, INNER_FOLDS) === fold);
    const used = runs.filter((run) => partOf(run.group ?? run.id, INNER_FOLDS) !== fold);
    const fitted = openFitted(fitSessions(used, { cohort: name, window: 'bench' }));
    const others = othersByRun(runs);
    const groupOf = (run: HonestRun) => (others.get(run) ?? NONE_RUNS).map(({ behaviour }) => behaviour);
    for (const run of used) {
      view.fitted.push({ score: scoreTests(fitted, { behaviour: run.behaviour, group: groupOf(run) }, true) });
    }
    for (const run of left) {
      view.calibration.push({ score: scoreTests(fitted, { behaviour: run.behaviour, group: groupOf(run) }) });
    }
    asked.forEach(({ cohort, behaviour, group }, index) => {
      if (cohort === name) answers[index] = { score: scoreTests(fitted, { behaviour, group }) };
    });
  }
  return { ...view, asked: answers };
}

/** The part, of n, that a key falls into: the same in every run. */
export function partOf(key: string, parts: number): number {
  return createHash('sha256').update(key).digest().readUInt32BE(0) % parts;
}
