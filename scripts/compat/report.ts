import { table } from '../../src/bin/output.ts';
import type { Comparison } from './compare.ts';

/** Least share of all tests, and of one package's, that must pass through the split as they do in one process. */
const LEAST_OVERALL = 0.93;
const LEAST_EACH = 0.85;

/** Something that is promised of the split, and whether it holds. */
export interface Aim {
  readonly aim: string;
  readonly measured: string;
  readonly met: boolean;
}

/** Everything that was found. */
export interface CompatReport {
  readonly overall: { readonly inProcess: number; readonly throughSplit: number; readonly share: number };
  readonly aims: readonly Aim[];
  readonly packages: readonly Comparison[];
}

/** Sums up and judges. */
export function reportOf(packages: readonly Comparison[]): CompatReport {
  const inProcess = sum(packages.map((each) => each.inProcess));
  const throughSplit = sum(packages.map((each) => each.throughSplit));
  const share = throughSplit / inProcess;
  const below = packages.filter((each) => each.share < LEAST_EACH);
  const missed = packages.filter((each) => each.bugFailed === 0);
  const unsteady = packages.filter((each) => each.asGrade !== each.throughSplit);
  const none = (found: readonly Comparison[]) => found.map((each) => each.package).join(', ') || 'all';
  return {
    overall: { inProcess, throughSplit, share },
    aims: [
      { aim: `overall >= ${percent(LEAST_OVERALL)}`, measured: percent(share), met: share >= LEAST_OVERALL },
      { aim: `each >= ${percent(LEAST_EACH)}`, measured: none(below), met: below.length === 0 },
      { aim: 'the same tests pass as a grade', measured: none(unsteady), met: unsteady.length === 0 },
      { aim: 'every bug caught', measured: none(missed), met: missed.length === 0 },
    ],
    packages,
  };
}

/** The table for people; its last line says whether the aims hold. */
export function tableOf({ overall, aims, packages }: CompatReport): string {
  const head = [
    'package',
    'version',
    'in-process',
    'split',
    'share',
    'as a grade',
    'word taken',
    'bug fails',
    'seconds',
  ];
  const rows = packages.map((each) => [
    each.package,
    each.version,
    ...[each.inProcess, each.throughSplit].map(String),
    percent(each.share),
    ...[each.asGrade, each.believed, each.bugFailed].map(String),
    each.seconds.record.toFixed(1),
  ]);
  const judged = aims.map(({ aim, measured, met }) => `${aim}: ${met ? 'yes' : `NO (${measured})`}`);
  const { inProcess, throughSplit, share } = overall;
  return `${table([head, ...rows])}\n${throughSplit} of ${inProcess} tests, ${percent(share)}; ${judged.join('; ')}`;
}

/** Rounded down: 92.99 % is not 93 %. */
function percent(share: number): string {
  return `${(Math.floor(share * 1000) / 10).toFixed(share === 1 ? 0 : 1)} %`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
