import { FEATURES } from './features.ts';
import type { Column } from './tail.ts';

/** Other rollouts of the same prompt that there must be: the middle of one is itself. */
const LEAST_OTHERS = 2;
/** As many sessions as the cohort's median counts for beside the group's own: with few others the group says little. */
const SHRINKAGE = 3;

/**
 * A session's shape less the centre of its group: the median of the *other* rollouts of its prompt, drawn towards the cohort's
 * median. Values are transformed, in the order of `FEATURES`; null for what is no shape, not known, or without enough others.
 */
export function centreGroup(
  own: readonly (number | null)[],
  others: readonly (readonly (number | null)[])[],
  columns: readonly (Column | null)[],
): readonly (number | null)[] {
  return FEATURES.map(({ test }, index) => {
    const value = own[index] ?? null;
    const column = columns[index] ?? null;
    if (test !== 'S' || value === null || column === null || others.length < LEAST_OTHERS) return null;
    const known = others.map((other) => other[index] ?? null).filter((other) => other !== null);
    if (known.length < LEAST_OTHERS) return null;
    const weight = known.length / (known.length + SHRINKAGE);
    return value - (weight * medianOf(known) + (1 - weight) * column.median);
  });
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >>> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}
