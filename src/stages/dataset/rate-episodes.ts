import { qualityOf } from '../profile/quality.ts';
import { byName } from './by-name.ts';
import type { Candidate } from './candidate.ts';
import type { Chosen, Fitting, LeftOut } from './chosen.ts';
import { NearCopies } from './near-copies.ts';
import type { Recipe } from './recipe.ts';

/**
 * Gives each episode its quality, and leaves out those below what is asked for and those that are nearly the same as a better one of the same
 * task and outcome.
 */
export function rateEpisodes(
  fitting: readonly Fitting[],
  recipe: Recipe,
  leave: (why: LeftOut) => void,
): readonly Chosen[] {
  const rated: Chosen[] = [];
  let [kind, copies] = ['', new NearCopies()];
  for (const each of ranked(fitting, recipe)) {
    if (kindOf(each.candidate) !== kind) [kind, copies] = [kindOf(each.candidate), new NearCopies()];
    const { print, labels } = each.candidate;
    const likeness = print === null ? 0 : copies.likeness(print);
    const chosen = { ...each, novelty: 1 - likeness, quality: qualityWith(labels, 1 - likeness, recipe) };
    const why = unwanted(chosen, likeness, recipe);
    if (why !== null) {
      leave(why);
      continue;
    }
    rated.push(chosen);
    if (print !== null) copies.add(print);
  }
  return rated;
}

/** By kind, and within it the best first, so that of two that are nearly the same the better one stays. */
function ranked(fitting: readonly Fitting[], recipe: Recipe): readonly Fitting[] {
  return fitting
    .map((each) => ({ each, kind: kindOf(each.candidate), plain: qualityWith(each.candidate.labels, null, recipe) }))
    .sort(
      (one, other) =>
        byName(one.kind, other.kind) ||
        other.plain - one.plain ||
        byName(one.each.candidate.id, other.each.candidate.id),
    )
    .map(({ each }) => each);
}

function kindOf({ task, labels }: Candidate): string {
  return `${task}\n${labels.outcome}\n${labels.isAccused}`;
}

function qualityWith(
  { completion, validity }: Candidate['labels'],
  novelty: number | null,
  { quality }: Recipe,
): number {
  return qualityOf({ completion, validity, novelty }, quality) ?? 0;
}

function unwanted({ candidate, quality }: Chosen, likeness: number, { keep }: Recipe): LeftOut | null {
  if (!keep.near_duplicates && likeness >= keep.likeness) return 'near-duplicate';
  // a cheat is no better or worse for how well it is done
  return !candidate.labels.isAccused && quality < keep.min_quality ? 'quality' : null;
}
