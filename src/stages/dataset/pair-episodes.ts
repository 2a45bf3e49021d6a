import { byName } from './by-name.ts';
import type { Chosen } from './chosen.ts';

/** Pairs of one instance; more of them say the same again. */
const MOST_PAIRS = 32;

/** Two episodes of one instance by their ids. */
export interface Pair {
  readonly better: string;
  readonly worse: string;
}

/** Pairs of one instance's episodes: the best that passed honestly with the best that did not, and so on; each is in one pair at most. */
export function pairEpisodes(chosen: readonly Chosen[]): readonly Pair[] {
  const ranked = [...chosen].sort(
    (one, other) => other.quality - one.quality || byName(one.candidate.id, other.candidate.id),
  );
  const isGood = ({ candidate: { labels } }: Chosen) => labels.outcome === 'passed' && !labels.isAccused;
  const good = ranked.filter(isGood);
  const bad = ranked.filter((each) => !isGood(each));
  return good.slice(0, MOST_PAIRS).flatMap(({ candidate }, index) => {
    const other = bad[index];
    return other === undefined ? [] : [{ better: candidate.id, worse: other.candidate.id }];
  });
}
