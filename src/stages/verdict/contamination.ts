import { z } from 'zod';

const countsSchema = z.object({ passed: z.int().min(0), of: z.int().min(0) });
/** Graded hand-ins and how many of them passed. */
export type PassCounts = Readonly<z.infer<typeof countsSchema>>;

const rateSchema = countsSchema.extend({
  /** Null where nothing was graded. */
  rate: z.number().nullable(),
  low: z.number(),
  high: z.number(),
});

export const RULINGS = ['leaked', 'no-sign', 'too-few'] as const;

export const contaminationSchema = z.object({
  canonical: rateSchema,
  fresh: rateSchema,
  /** Pass rate on the canonical instance less that on fresh ones. */
  gap: z.object({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
  /** `leaked`: the gap is above zero at 95 % confidence; `too-few`: fewer than {@link FEWEST} of either. */
  ruling: z.enum(RULINGS),
});

/** What pass rates say about whether a task's published instance is known by heart. */
export type Contamination = Readonly<z.infer<typeof contaminationSchema>>;

/** Fewer hand-ins than this say nothing at all. */
export const FEWEST = 10;
/** Two-sided 95 % of the normal distribution. */
const Z = 1.959964;

/**
 * Compares pass rates on the published instance of a task with those on fresh ones: Wilson's interval for each, Newcombe's (1998, method 10)
 * for the difference. A gap says that the task leaked, not who knew it.
 */
export function contaminationOf(counts: { readonly canonical: PassCounts; readonly fresh: PassCounts }): Contamination {
  const [canonical, fresh] = [rateOf(counts.canonical), rateOf(counts.fresh)];
  const gap = gapOf(canonical, fresh);
  if (gap === null || canonical.of < FEWEST || fresh.of < FEWEST) return { canonical, fresh, gap, ruling: 'too-few' };
  return { canonical, fresh, gap, ruling: gap.low > 0 ? 'leaked' : 'no-sign' };
}

/** A pass rate with Wilson's score interval at 95 %. */
export function rateOf({ passed, of }: PassCounts): Contamination['canonical'] {
  if (of === 0) return { passed, of, rate: null, low: 0, high: 1 };
  const rate = passed / of;
  const scale = 1 + Z ** 2 / of;
  const middle = (rate + Z ** 2 / (2 * of)) / scale;
  const half = (Z / scale) * Math.sqrt((rate * (1 - rate)) / of + Z ** 2 / (4 * of ** 2));
  return { passed, of, rate, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

function gapOf(one: Contamination['canonical'], other: Contamination['fresh']): Contamination['gap'] {
  if (one.rate === null || other.rate === null) return null;
  const value = one.rate - other.rate;
  const down = Math.hypot(one.rate - one.low, other.high - other.rate);
  const up = Math.hypot(one.high - one.rate, other.rate - other.low);
  return { value, low: Math.max(-1, value - down), high: Math.min(1, value + up) };
}
