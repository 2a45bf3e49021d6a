import { type BetaPosterior, betaPosterior, betaShare } from './beta.ts';

/** How hard a task was, from the least to the most often passed. `unknown`: too few tries to say. */
export const TIERS = ['unsolved', 'hard', 'medium', 'easy', 'solved', 'unknown'] as const;
export type Tier = (typeof TIERS)[number];

/** Graded tries of one task by one policy, cheats not among the passes. */
export interface Tries {
  readonly passed: number;
  readonly of: number;
}

/** How hard a task is for a policy, as a belief about its pass rate. */
export interface Difficulty extends BetaPosterior, Tries {
  readonly tier: Tier;
  /** The belief that the pass rate lies in the band from which something is learned. */
  readonly reach: number;
  /** Whether that is more likely than not. */
  readonly isWithinReach: boolean;
}

/** Pass rates between which trainers learn; the ends are the caller's. */
export type Band = readonly [low: number, high: number];

const FEWEST = 4;
const TIER_OF: readonly (readonly [below: number, tier: Tier])[] = [
  [0.3, 'hard'],
  [0.7, 'medium'],
  [Number.POSITIVE_INFINITY, 'easy'],
];

/** The belief about a pass rate after some tries, with Jeffreys' prior, and what follows from it. */
export function difficultyOf(tries: Tries, band: Band): Difficulty {
  const posterior = betaPosterior(tries.passed, tries.of);
  const shape = { a: posterior.a, b: posterior.b };
  const reach = betaShare(band[1], shape) - betaShare(band[0], shape);
  return { ...tries, ...posterior, tier: tierOf(tries, posterior.mean), reach, isWithinReach: reach > 0.5 };
}

function tierOf({ passed, of }: Tries, mean: number): Tier {
  if (of < FEWEST) return 'unknown';
  if (passed === 0) return 'unsolved';
  if (passed === of) return 'solved';
  return TIER_OF.find(([below]) => mean < below)?.[1] ?? 'easy';
}

/** Tries by task and policy window, while episodes go by. */
export class DifficultyTable {
  readonly #tries = new Map<string, { passed: number; of: number }>();

  /** Counts one graded try; an accused pass is a try that did not pass. */
  note(place: { readonly task: string; readonly window: string | null }, isPassed: boolean): void {
    for (const window of new Set([place.window, null])) {
      const key = keyOf({ task: place.task, window });
      const tries = this.#tries.get(key) ?? { passed: 0, of: 0 };
      tries.of++;
      if (isPassed) tries.passed++;
      this.#tries.set(key, tries);
    }
  }

  /** Of a task for a policy; without one, for all policies together. */
  of(place: { readonly task: string; readonly window: string | null }, band: Band): Difficulty {
    return difficultyOf(this.#tries.get(keyOf(place)) ?? { passed: 0, of: 0 }, band);
  }
}

const keyOf = ({ task, window }: { readonly task: string; readonly window: string | null }) =>
  JSON.stringify([task, window]);
