import { binomialTail } from './shift-alarm.ts';

/** A share with its exact binomial interval at 95 % (Clopper, Pearson 1934). */
export interface Share {
  readonly hits: number;
  readonly of: number;
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

const HALF_ALPHA = 0.025;
const HALVINGS = 40;

/** The share of hits, with its interval. */
export function shareOf(hits: number, of: number): Share {
  const low = hits === 0 ? 0 : solve((share) => binomialTail(of, hits, share) < HALF_ALPHA);
  const high = hits === of ? 1 : solve((share) => 1 - binomialTail(of, hits + 1, share) >= HALF_ALPHA);
  return { hits, of, share: of === 0 ? 0 : hits / of, low, high };
}

/** The largest share for which something holds that holds for small ones. */
function solve(holds: (share: number) => boolean): number {
  let [from, to] = [0, 1];
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (from + to) / 2;
    if (holds(middle)) from = middle;
    else to = middle;
  }
  return from;
}
