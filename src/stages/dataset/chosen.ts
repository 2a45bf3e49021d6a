import type { Barred, Candidate } from './candidate.ts';
import type { Difficulty } from './difficulty.ts';
import type { PromptGroup } from './prompt-groups.ts';

/** Why an episode is not in a data set. */
export type LeftOut =
  | Barred
  | 'accused'
  | 'integrity-unknown'
  | 'outcome'
  | 'length'
  | 'weight'
  | 'out-of-reach'
  | 'quality'
  | 'near-duplicate'
  | 'per-prompt'
  | 'per-task'
  | 'total'
  | 'secret-inside'
  | 'changed';

/** An episode that is taken. */
export interface Chosen {
  readonly candidate: Candidate;
  readonly group: PromptGroup;
  readonly quality: number;
  readonly novelty: number;
  readonly difficulty: Difficulty;
}

/** One that fits, before it is rated. */
export type Fitting = Pick<Chosen, 'candidate' | 'difficulty' | 'group'>;

/** Which episodes are taken, in the order in which they are written, and how many are not, by why. */
export interface Choice {
  readonly chosen: readonly Chosen[];
  readonly leftOut: Readonly<Partial<Record<LeftOut, number>>>;
  /** Ids that a person should look at: the best, spread over prompts. */
  readonly humanCheck: readonly string[];
}
