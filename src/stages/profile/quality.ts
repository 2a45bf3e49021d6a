import type { Move } from './quality-moves.ts';

/** How much each part counts; they need not add up to 1. */
export interface QualityWeights {
  readonly completion: number;
  readonly validity: number;
  readonly novelty: number;
}

/** As the project's brief has them: completion 50 %, validity 30 %, novelty 20 %. */
export const QUALITY_WEIGHTS: QualityWeights = { completion: 0.5, validity: 0.3, novelty: 0.2 };

/** The parts of a session's quality, each 0 to 1; null: not known. */
export interface QualityParts {
  /** How much of the task was done: the score of its grade. */
  readonly completion: number | null;
  readonly validity: number | null;
  readonly novelty: number | null;
}

/** Steps that got nowhere, by why; one step is counted once. */
export interface Validity {
  readonly steps: number;
  /** An action that was made before, when nothing had changed since. */
  readonly repeated: number;
  /** Inside of a round of one to four actions that had been made twice running already. */
  readonly looping: number;
  /** Showed nothing and changed nothing. */
  readonly idle: number;
  /** The share of steps that are none of these; null without steps. */
  readonly validity: number | null;
}

const LONGEST_ROUND = 4;
const ROUNDS_ALLOWED = 2;

/** What share of steps got somewhere. An action whose effect nobody saw is taken for one that changed something, and showed something. */
export function validityOf(moves: readonly Move[]): Validity {
  const looping = loops(moves);
  const madeSinceChange = new Set<string>();
  let [repeatedCount, loopingCount, idleCount] = [0, 0, 0];
  moves.forEach(({ action, changed, shownBytes }, at) => {
    const isRepeated = madeSinceChange.has(action);
    if (changed !== false) madeSinceChange.clear();
    if (changed !== true) madeSinceChange.add(action);
    if (looping[at]) loopingCount++;
    else if (isRepeated) repeatedCount++;
    else if (changed === false && shownBytes === 0) idleCount++;
  });
  const wasted = repeatedCount + loopingCount + idleCount;
  const validity = moves.length === 0 ? null : 1 - wasted / moves.length;
  return { steps: moves.length, repeated: repeatedCount, looping: loopingCount, idle: idleCount, validity };
}

/** For each move whether it goes on with a round that was made twice already. */
function loops(moves: readonly Move[]): readonly boolean[] {
  const isLooping = moves.map(() => false);
  for (let round = 1; round <= LONGEST_ROUND; round++) {
    let same = 0;
    for (let at = round; at < moves.length; at++) {
      same = moves[at]?.action === moves[at - round]?.action ? same + 1 : 0;
      // the first round was made before `same` counts, so this many mean that two are complete
      if (same > round * (ROUNDS_ALLOWED - 1)) isLooping[at] = true;
    }
  }
  return isLooping;
}

/** The weighted mean of the parts that are known; null when none is, or when those that are count nothing. */
export function qualityOf(parts: QualityParts, weights: QualityWeights = QUALITY_WEIGHTS): number | null {
  let [sum, all] = [0, 0];
  for (const part of ['completion', 'validity', 'novelty'] as const) {
    const value = parts[part];
    const weight = Math.max(0, weights[part]);
    if (value === null || Number.isNaN(value) || weight === 0) continue;
    sum += weight * Math.min(1, Math.max(0, value));
    all += weight;
  }
  return all === 0 ? null : sum / all;
}
