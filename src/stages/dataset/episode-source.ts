import type { Episode } from './episode.ts';
import type { Guard } from './guard.ts';

/** Where episodes come from. */
export interface EpisodeSource {
  /** All that a recipe's `from` names, in any order, with steps but without what they showed. */
  all(): AsyncIterable<Episode>;
  /** Some of them with their texts, in the order given. */
  some(ids: readonly string[]): AsyncIterable<Episode>;
  /** What the subject was asked, and what must not leave of that instance. */
  given(episode: Episode): Promise<{ readonly instruction: string; readonly guard: Guard }>;
}
