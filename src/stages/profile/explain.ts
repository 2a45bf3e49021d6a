import { FEATURE_AT, FEATURES, type Feature, type FeatureName } from './features.ts';
import { type OpenReference, TESTS, type TestName } from './reference.ts';
import { type FamilyScore, type RawScore, type Score, SHARE_OF_ALPHA } from './score.ts';
import type { Column } from './tail.ts';

/** Families that an explanation names. */
const MOST_FAMILIES = 3;
/** How much odder something must be to be named before what can be pointed at; chosen on the development half of the SWE-agent runs. */
const DECADES_FOR_FACTS = 1;

/** One reason, in numbers that a person can check. */
export interface Reason {
  readonly test: TestName;
  readonly family: string;
  readonly feature: FeatureName;
  readonly unit: Feature['unit'];
  /** What this session has; in test G less the centre of its group, on the transformed scale. */
  readonly value: number;
  /** The median of the cohort's honest sessions, and the range in which 98 % of them are, in the same unit. */
  readonly median: number;
  readonly range: readonly [low: number, high: number];
  /** The event (or step) to look at; 0: none in particular. */
  readonly seq: number;
}

/** Why a session is odd. */
export interface Explanation {
  readonly test: TestName;
  readonly p: number;
  /** "0 of 4,096 honest runs were as extreme". */
  readonly sentence: string;
  readonly reasons: readonly Reason[];
  /** The event (or step) to jump to; 0: none in particular. */
  readonly seq: number;
}

/**
 * Explains a score: the leading test, how many honest sessions were as extreme, and the three oddest families: of the leading
 * test first, then of the others. Null when there is no score.
 */
export function explainScore(reference: OpenReference, score: Score): Explanation | null {
  const { p, leading, asExtreme } = score;
  if (p === null || leading === null) return null;
  const reasons = namedFamilies(score, leading).map(({ test, named }) => reasonOf(reference, score, { test, named }));
  const all = reference.calibration.all.length;
  const sentence = `${grouped(asExtreme)} of ${grouped(all)} honest runs were as extreme`;
  return { test: leading, p, sentence, reasons, seq: reasons.find(({ seq }) => seq > 0)?.seq ?? 0 };
}

/** A family that is named, and by which test. */
export interface Named {
  readonly test: TestName;
  readonly named: FamilyScore;
}

/** The families that an explanation names, the first one first. */
export function namedFamilies({ families }: Pick<RawScore, 'families'>, leading: TestName): readonly Named[] {
  const own = inOrder(families[leading]).map((named) => ({ test: leading, named }));
  const rest = TESTS.filter((test) => test !== leading)
    .flatMap((test) => families[test].slice(0, MOST_FAMILIES).map((named) => ({ test, named })))
    .sort((one, other) => weighed(other) - weighed(one));
  const seen = new Set<string>();
  return [...own.slice(0, MOST_FAMILIES), ...rest]
    .filter(({ named }) => named.surprise > 0 && !seen.has(named.family) && seen.add(named.family))
    .slice(0, MOST_FAMILIES);
}

/**
 * Families of one test in the order in which they are named: what happened and can be pointed at stands before what is only rarer than usual, unless
 * that is odder by more than a decade. Where nothing is odd there is no order to tell.
 */
function inOrder(families: readonly FamilyScore[]): readonly FamilyScore[] {
  const rank = ({ feature, surprise }: FamilyScore) =>
    surprise + (FEATURES[FEATURE_AT[feature]]?.source === 'vocabulary' ? 0 : DECADES_FOR_FACTS);
  return families.filter(({ surprise }) => surprise > 0).sort((one, other) => rank(other) - rank(one));
}

function weighed({ test, named }: Named): number {
  return named.surprise + Math.log10(SHARE_OF_ALPHA[test]);
}

function reasonOf(reference: OpenReference, score: Score, { test, named }: Named): Reason {
  const index = FEATURE_AT[named.feature];
  const feature = FEATURES[index] as Feature;
  const isGroup = test === 'G';
  const column = (isGroup ? reference.groupColumns : reference.columns)[index] as Column;
  const value = (isGroup ? score.centred : score.measured.raw)[index] ?? 0;
  const back = (transformedValue: number) => (isGroup ? transformedValue : untransformed(feature, transformedValue));
  return {
    ...{ test, family: named.family, feature: named.feature, unit: feature.unit, value },
    ...{ median: back(column.median), range: [back(column.low), back(column.high)] as const },
    seq: score.measured.at[index] ?? 0,
  };
}

function untransformed({ transform }: Feature, value: number): number {
  if (transform === 'log1p') return Math.expm1(value);
  return transform === 'logit' ? 1 / (1 + Math.exp(-value)) : value;
}

/** A whole number with commas, as in 4,096. */
function grouped(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
