import { FEATURES, type Feature } from './features.ts';
import type { Column } from './tail.ts';

type Values = readonly (number | null)[];

/** Other rollouts of the same prompt that there must be: the middle of one is itself. */
const LEAST_OTHERS = 2;
/** As many sessions as the cohort's median counts for beside the group's own: with few others the group says little. */
const SHRINKAGE = 3;
/** More odd ones than this share of the others, and the middle of the group may be the cheaters'. */
const MOST_ODD = 1 / 3;
/** Shapes and rarities outside of the range of 98 % of honest sessions that make another rollout odd; one access is enough. */
const ODD_FEATURES = 2;

/**
 * A session's shape less the centre of its group: the median of the *other* rollouts of its prompt, drawn towards the cohort's
 * median. Values are transformed, in the order of `FEATURES`; null for what is no shape, not known, or without enough others.
 * All is null when more than a third of the others are odd themselves: an honest session among cheaters must not be the odd one.
 */
export function centreGroup(own: Values, others: readonly Values[], columns: readonly (Column | null)[]): Values {
  const isTrusted = others.length >= LEAST_OTHERS && countOdd(others, columns) <= MOST_ODD * others.length;
  return FEATURES.map(({ test }, index) => {
    const value = own[index] ?? null;
    const column = columns[index] ?? null;
    if (!isTrusted || test !== 'S' || value === null || column === null) return null;
    const known: number[] = [];
    for (const other of others) {
      const one = other[index] ?? null;
      if (one !== null) known.push(one);
    }
    if (known.length < LEAST_OTHERS) return null;
    const weight = known.length / (known.length + SHRINKAGE);
    return value - (weight * medianOf(known) + (1 - weight) * column.median);
  });
}

function countOdd(others: readonly Values[], columns: readonly (Column | null)[]): number {
  return others.filter((values) => {
    let odd = 0;
    for (const [index, { test, direction }] of FEATURES.entries()) {
      const value = values[index] ?? null;
      const column = columns[index] ?? null;
      if (value === null || column === null) continue;
      const isOdd = isBeyond({ value, column, direction });
      if (isOdd) odd += test === 'A' ? ODD_FEATURES : 1;
    }
    return odd >= ODD_FEATURES;
  }).length;
}

interface Placed {
  readonly value: number;
  readonly column: Column;
  readonly direction: Feature['direction'];
}

function isBeyond({ value, column, direction }: Placed): boolean {
  return (direction !== 'low' && value > column.high) || (direction !== 'high' && value < column.low);
}

function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >>> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}
