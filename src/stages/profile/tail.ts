import type { Feature } from './features.ts';

/** A column of an honest reference, ready to be asked how extreme a value is. */
export interface Column {
  /** Rising. */
  readonly sorted: Float64Array;
  readonly median: number;
  /** The 1 % and 99 % quantiles. */
  readonly low: number;
  readonly high: number;
}

/** What a two-sided look costs: log10 2, as the design page says. */
const TWO_SIDED_COST = 0.3;
/**
 * The least spread that an excess over the extreme is measured in: one more of something counted on the log1p scale (ln 2), so that
 * a column that never moves does not make the smallest movement infinitely odd.
 */
const LEAST_SPREAD = Math.LN2;

/** A column of values; missing ones are left out. Null when there are none. */
export function makeColumn(values: readonly (number | null)[]): Column | null {
  const sorted = Float64Array.from(values.filter((value) => value !== null)).sort();
  return sorted.length === 0 ? null : openColumn(sorted);
}

/** A column of values that rise already. */
export function openColumn(sorted: Float64Array): Column {
  return { sorted, median: quantile(sorted, 0.5), low: quantile(sorted, 0.01), high: quantile(sorted, 0.99) };
}

/** The value with at least that share of the others at or below it; rising values, of which there must be one. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] as number;
}

/** How many of rising values are at least this one. */
export function countAtLeast(sorted: Float64Array, value: number): number {
  return sorted.length - lowerBound(sorted, value);
}

/** How many of rising values are at most this one. */
export function countAtMost(sorted: Float64Array, value: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] as number) <= value) from = middle + 1;
    else to = middle;
  }
  return from;
}

function lowerBound(sorted: Float64Array, value: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] as number) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * How odd a value is in a direction: −log10 of its tail p-value (1 + others as extreme) / (n + 1), and beyond the extreme of all
 * others also log10(1 + excess / (q99 − q50)). Never below 0. `isOwn`: the value is one of the column's own and does not
 * count against itself. Null of a column without others.
 */
export function surpriseOf(
  column: Column,
  value: number,
  { direction, isOwn = false }: { readonly direction: Feature['direction']; readonly isOwn?: boolean },
): number | null {
  const own = isOwn ? 1 : 0;
  const others = column.sorted.length - own;
  if (others <= 0) return null;
  if (direction === 'high') return upper(column, value, own);
  if (direction === 'low') return lower(column, value, own);
  return Math.max(0, Math.max(upper(column, value, own), lower(column, value, own)) - TWO_SIDED_COST);
}

function upper({ sorted, median, high }: Column, value: number, own: number): number {
  const asExtreme = Math.max(0, countAtLeast(sorted, value) - own);
  const base = -Math.log10((1 + asExtreme) / (sorted.length - own + 1));
  if (asExtreme > 0) return base;
  const extreme = sorted[sorted.length - 1 - own] as number;
  return base + Math.log10(1 + (value - extreme) / Math.max(LEAST_SPREAD, high - median));
}

function lower({ sorted, median, low }: Column, value: number, own: number): number {
  const asExtreme = Math.max(0, countAtMost(sorted, value) - own);
  const base = -Math.log10((1 + asExtreme) / (sorted.length - own + 1));
  if (asExtreme > 0) return base;
  const extreme = sorted[own] as number;
  return base + Math.log10(1 + (extreme - value) / Math.max(LEAST_SPREAD, median - low));
}
