import type { Scaling } from './cluster.ts';
import { FEATURES } from './features.ts';
import { quantile } from './tail.ts';

type Values = readonly (number | null)[];

/** Spreads beyond which a value is no odder: one wild feature must not decide over all others. */
const FURTHEST = 6;
/** An interquartile range of a normal distribution is so many deviations wide, a mean deviation this many. */
const DEVIATIONS_IN_RANGE = 1.349;
const DEVIATIONS_IN_MEAN = 0.7979;

/**
 * Centres by the median and scales by the interquartile range, each of the values that are known. Of a feature that is the same in most sessions the
 * range is 0: then by the mean deviation, so that what few sessions do still sets them apart. One that never moves says nothing.
 */
export function makeScaling(rows: readonly Values[]): Scaling {
  const columns = FEATURES.map((_, feature) => {
    const known = rows.map((row) => row[feature] ?? null).filter((value) => value !== null && Number.isFinite(value));
    return Float64Array.from(known as number[]).sort();
  });
  const centres = columns.map((sorted) => (sorted.length === 0 ? 0 : quantile(sorted, 0.5)));
  const spreads = columns.map((sorted, feature) => spreadOf(sorted, centres[feature] as number));
  return { centres, spreads };
}

function spreadOf(sorted: Float64Array, centre: number): number {
  if (sorted.length === 0) return 0;
  const range = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / DEVIATIONS_IN_RANGE;
  if (range > 0) return range;
  // without the outermost hundredth, so that one wild value does not make all others alike
  const [low, high] = [quantile(sorted, 0.01), quantile(sorted, 0.99)];
  let sum = 0;
  for (const value of sorted) sum += Math.abs(Math.max(low, Math.min(high, value)) - centre);
  return sum / sorted.length / DEVIATIONS_IN_MEAN;
}

/** A session's coordinates: 0 where a value is not known or the feature says nothing, never beyond six spreads. */
export function coordinatesOf({ centres, spreads }: Scaling, values: Values): Float64Array {
  return Float64Array.from(spreads, (spread, feature) => {
    const value = values[feature] ?? null;
    if (value === null || spread === 0 || Number.isNaN(value)) return 0;
    return Math.max(-FURTHEST, Math.min(FURTHEST, (value - (centres[feature] as number)) / spread));
  });
}

/** The Euclidean distance of two rows of coordinates, over the root of how many there are. */
export function distanceOf(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) {
    const apart = (one[at] as number) - (other[at] as number);
    sum += apart * apart;
  }
  return Math.sqrt(sum / Math.max(1, one.length));
}
