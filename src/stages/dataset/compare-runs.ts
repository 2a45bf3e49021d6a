import { betaQuantile } from './beta.ts';
import { byName } from './by-name.ts';
import type { Cause, FailureKind } from './failure.ts';

/** One episode of a run, as far as runs are compared. */
export interface Outcome {
  readonly task: string;
  readonly instance: string;
  /** What it earned honestly, 0 to 1; null: not graded. */
  readonly score: number | null;
  readonly kind: FailureKind | null;
  readonly cause: Cause | null;
}

/** How much better the second run is than the first, on instances that both worked on. */
export interface Difference {
  readonly instances: number;
  readonly one: number;
  readonly other: number;
  /** Mean of the differences (other less one), and its 95 % interval; null with fewer than two instances. */
  readonly difference: number;
  readonly interval: readonly [low: number, high: number] | null;
}

export interface Comparison {
  readonly all: Difference;
  readonly tasks: Readonly<Record<string, Difference>>;
  /** Failures of each run on those instances, by cause. */
  readonly causes: Readonly<Partial<Record<Cause, { readonly one: number; readonly other: number }>>>;
  /** Instances that only one of them worked on; they say nothing here. */
  readonly onlyOne: number;
  readonly onlyOther: number;
  readonly notGraded: number;
}

interface Pair {
  readonly task: string;
  readonly one: number;
  readonly other: number;
}

/**
 * Compares two runs on the same instances: rollouts of one instance are averaged first, so that an instance counts once however often it was
 * tried; then the paired differences, with Student's interval. Pure.
 */
export function compareRuns(one: readonly Outcome[], other: readonly Outcome[]): Comparison {
  const [first, second] = [byInstance(one), byInstance(other)];
  const shared = [...first.keys()].filter((instance) => second.has(instance)).sort(byName);
  const pairs = shared.map((instance): Pair => {
    const [mine, theirs] = [first.get(instance) ?? [], second.get(instance) ?? []];
    return { task: mine[0]?.task ?? '', one: meanOf(mine.map(scoreOf)), other: meanOf(theirs.map(scoreOf)) };
  });
  const tasks = [...new Set(pairs.map(({ task }) => task))].sort(byName);
  const both = new Set(shared);
  return {
    all: differenceOf(pairs),
    tasks: Object.fromEntries(tasks.map((task) => [task, differenceOf(pairs.filter((pair) => pair.task === task))])),
    causes: causesOf(
      one.filter((each) => both.has(each.instance)),
      other.filter((each) => both.has(each.instance)),
    ),
    ...{ onlyOne: first.size - shared.length, onlyOther: second.size - shared.length },
    notGraded: [...one, ...other].filter(({ score }) => score === null).length,
  };
}

const scoreOf = ({ score }: Outcome) => score ?? 0;
const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** What was not graded is no zero: it is left out. */
function byInstance(outcomes: readonly Outcome[]): ReadonlyMap<string, readonly Outcome[]> {
  const found = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    if (outcome.score === null) continue;
    const known = found.get(outcome.instance);
    if (known === undefined) found.set(outcome.instance, [outcome]);
    else known.push(outcome);
  }
  return found;
}

function differenceOf(pairs: readonly Pair[]): Difference {
  const differences = pairs.map(({ one, other }) => other - one);
  const [n, mean] = [differences.length, meanOf(differences)];
  const one = meanOf(pairs.map((pair) => pair.one));
  const other = meanOf(pairs.map((pair) => pair.other));
  if (n < 2) return { instances: n, one, other, difference: mean, interval: null };
  const variance = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (n - 1);
  const half = studentT(n - 1) * Math.sqrt(variance / n);
  return { instances: n, one, other, difference: mean, interval: [mean - half, mean + half] };
}

/** The 97.5 % point of Student's distribution: its square is a Beta in disguise (x = df / (df + t²)). */
export function studentT(degrees: number): number {
  const x = betaQuantile(0.05, { a: degrees / 2, b: 0.5 });
  return Math.sqrt((degrees * (1 - x)) / x);
}

function causesOf(one: readonly Outcome[], other: readonly Outcome[]): Comparison['causes'] {
  const causes: Partial<Record<Cause, { one: number; other: number }>> = {};
  for (const [side, outcomes] of [
    ['one', one],
    ['other', other],
  ] as const) {
    for (const { cause } of outcomes) {
      if (cause === null) continue;
      const counts = causes[cause] ?? { one: 0, other: 0 };
      counts[side]++;
      causes[cause] = counts;
    }
  }
  return causes;
}
