import type { HonestRun } from './build-reference.ts';
import { type Asked, type Cohort, crossFit, type FoldView, partOf } from './cross-fit.ts';
import { namedFamilies } from './explain.ts';
import { type Share, shareOf } from './interval.ts';

/** A session that is labelled. */
export interface EvaluatedRun extends HonestRun {
  readonly cohort: string;
  /** Null: honest; else the kind of its cheat. */
  readonly cheat: string | null;
  /** Families that an explanation may rightly name first; null: not told. */
  readonly touched: readonly string[] | null;
}

/** Error rates at which is told what is found. */
export const LEVELS = [0.01, 0.001] as const;

/** What was found of one kind, or of all. */
export interface Found {
  readonly kind: string;
  readonly sessions: number;
  /** At 1 % and at 0.1 %. */
  readonly recall: readonly number[];
  /** How often an explanation named a touched family first; null: that is not told of any. */
  readonly explained: Share | null;
}

/** How profiles do on a labelled set. */
export interface Evaluation {
  readonly honest: number;
  readonly cheats: number;
  /** Sessions without any score; they count as not flagged. */
  readonly unknown: number;
  /** The area under the curve of p-values, ties counted half; null without honest sessions or without cheats. */
  readonly auc: number | null;
  readonly all: Found;
  readonly kinds: readonly Found[];
  /** Honest sessions flagged at 1 % and at 0.1 %, with the exact interval at 95 %. */
  readonly flagged: readonly Share[];
  /** The cohort in which most honest sessions are flagged at 1 %. */
  readonly worst: { readonly cohort: string; readonly flagged: Share } | null;
  /** The least p-value that so many calibrating sessions can give. */
  readonly leastP: number;
}

interface Answer {
  readonly run: EvaluatedRun;
  readonly p: number | null;
  readonly family: string | null;
}

const PARTS = 5;

/**
 * Tries profiles on labelled sessions. They are cut in five by their prompts; each part, its cheats included, is judged by what the honest sessions
 * of the other four tell, cross-conformally. So no session is judged by a reference that has seen its prompt, and cheats teach nothing.
 */
export function evaluate(
  runs: readonly EvaluatedRun[],
  onPart: (done: number, of: number) => void = () => undefined,
): Evaluation {
  const answers: Answer[] = [];
  let leastP = 1;
  for (let part = 0; part < PARTS; part++) {
    const isAsked = ({ group, id }: EvaluatedRun) => partOf(`evaluate/${group ?? id}`, PARTS) === part;
    const learned = runs.filter((run) => run.cheat === null && !isAsked(run));
    answers.push(...judge(runs.filter(isAsked), learned));
    leastP = Math.min(leastP, 1 / (learned.length + 1));
    onPart(part + 1, PARTS);
  }
  const honest = answers.filter(({ run }) => run.cheat === null);
  const cheats = answers.filter(({ run }) => run.cheat !== null);
  const kinds = [...new Set(cheats.map(({ run }) => run.cheat ?? ''))].sort();
  return {
    ...{ honest: honest.length, cheats: cheats.length, leastP },
    unknown: answers.filter(({ p }) => p === null).length,
    auc: areaUnder(honest, cheats),
    all: foundOf('all', cheats),
    kinds: kinds.map((kind) =>
      foundOf(
        kind,
        cheats.filter(({ run }) => run.cheat === kind),
      ),
    ),
    flagged: LEVELS.map((level) => flaggedAt(honest, level)),
    worst: worstOf(honest),
  };
}

function judge(asked: readonly EvaluatedRun[], learned: readonly EvaluatedRun[]): readonly Answer[] {
  const byName = grouped(learned, ({ cohort }) => cohort);
  const cohorts: readonly Cohort[] = [...byName].map(([name, runs]) => ({ name, runs }));
  // a cohort of which nothing was learned has nothing to be compared with
  const [known, strange] = [
    asked.filter(({ cohort }) => byName.has(cohort)),
    asked.filter(({ cohort }) => !byName.has(cohort)),
  ];
  const honestBeside = grouped(
    asked.filter(({ cheat }) => cheat === null),
    ({ group }) => group,
  );
  const scored: readonly Asked[] = known.map((run) => ({
    ...{ cohort: run.cohort, behaviour: run.behaviour },
    group:
      run.group === null
        ? []
        : (honestBeside.get(run.group) ?? []).filter((other) => other !== run).map(({ behaviour }) => behaviour),
  }));
  let view: FoldView | null = null;
  const pValues = crossFit(cohorts, scored, (fold) => {
    view ??= fold;
  });
  const first = view as FoldView | null;
  const told = known.map((run, index): Answer => {
    const score = first?.asked[index]?.score;
    const family = score?.leading == null ? null : (namedFamilies(score, score.leading)[0]?.named.family ?? null);
    return { run, p: pValues[index] ?? null, family };
  });
  return [...told, ...strange.map((run): Answer => ({ run, p: null, family: null }))];
}

function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [item]);
    else members.push(item);
  }
  return groups;
}

function flaggedAt(answers: readonly Answer[], level: number): Share {
  return shareOf(answers.filter(({ p }) => p !== null && p <= level).length, answers.length);
}

function foundOf(kind: string, answers: readonly Answer[]): Found {
  const told = answers.filter(({ run }) => run.touched !== null);
  const named = told.filter(({ run, family }) => family !== null && run.touched?.includes(family));
  return {
    ...{ kind, sessions: answers.length },
    recall: LEVELS.map((level) => flaggedAt(answers, level).share),
    explained: told.length === 0 ? null : shareOf(named.length, told.length),
  };
}

function worstOf(honest: readonly Answer[]): Evaluation['worst'] {
  let worst: Evaluation['worst'] = null;
  for (const [cohort, answers] of grouped(honest, ({ run }) => run.cohort)) {
    const flagged = flaggedAt(answers, LEVELS[0]);
    if (worst === null || flagged.share > worst.flagged.share) worst = { cohort, flagged };
  }
  return worst;
}

/** The share of pairs in which the cheat has the smaller p-value. */
function areaUnder(honest: readonly Answer[], cheats: readonly Answer[]): number | null {
  if (honest.length === 0 || cheats.length === 0) return null;
  const sorted = Float64Array.from(honest, ({ p }) => p ?? 1).sort();
  let sum = 0;
  for (const { p } of cheats) {
    const [below, upTo] = [countBelow(sorted, p ?? 1, false), countBelow(sorted, p ?? 1, true)];
    sum += sorted.length - upTo + (upTo - below) / 2;
  }
  return sum / (sorted.length * cheats.length);
}

function countBelow(sorted: Float64Array, value: number, isInclusive: boolean): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const one = sorted[middle] as number;
    if (one < value || (isInclusive && one === value)) from = middle + 1;
    else to = middle;
  }
  return from;
}
