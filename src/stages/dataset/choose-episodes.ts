import { balanceEpisodes } from './balance-episodes.ts';
import { byName } from './by-name.ts';
import type { Candidate } from './candidate.ts';
import type { Choice, Chosen, Fitting, LeftOut } from './chosen.ts';
import { type Difficulty, DifficultyTable } from './difficulty.ts';
import { groupPrompts } from './prompt-groups.ts';
import { rateEpisodes } from './rate-episodes.ts';
import type { Recipe } from './recipe.ts';

/** Chooses what a recipe asks for. Pure: the same candidates and recipe give the same choice in the same order. */
export function chooseEpisodes(candidates: readonly Candidate[], recipe: Recipe): Choice {
  const leftOut: Partial<Record<LeftOut, number>> = {};
  const leave = (why: LeftOut) => {
    leftOut[why] = (leftOut[why] ?? 0) + 1;
  };
  const table = tableOf(candidates);
  const groupOf = groupPrompts(candidates, { seed: recipe.seed, heldOut: recipe.held_out });
  const fitting: Fitting[] = [];
  for (const candidate of candidates) {
    const difficulty = table.of({ task: candidate.task, window: candidate.policy }, recipe.reach);
    const why = candidate.barred ?? unfitOf(candidate, difficulty, recipe);
    if (why !== null) leave(why);
    else fitting.push({ candidate, difficulty, group: groupOf(candidate) });
  }
  const rated = rateEpisodes(fitting, recipe, leave);
  const chosen = balanceEpisodes(rated, recipe, leave).sort(inOrder);
  return { chosen, leftOut, humanCheck: bestOf(chosen, recipe.human_check) };
}

/** What a policy can do is counted over all that was graded, also over what is not taken. */
function tableOf(candidates: readonly Candidate[]): DifficultyTable {
  const table = new DifficultyTable();
  for (const { task, policy, labels } of candidates) {
    if (labels.outcome !== 'passed' && labels.outcome !== 'failed') continue;
    table.note({ task, window: policy }, labels.outcome === 'passed' && !labels.isAccused);
  }
  return table;
}

function unfitOf({ labels, steps, weight }: Candidate, difficulty: Difficulty, { keep }: Recipe): LeftOut | null {
  if (labels.isAccused && !keep.negatives) return 'accused';
  if (!labels.isAccused && labels.integrity !== 'clean') return 'integrity-unknown';
  if (!keep.outcomes.some((outcome) => outcome === labels.outcome)) return 'outcome';
  if (steps < keep.min_steps || steps > keep.max_steps) return 'length';
  // what cheated has the weight of a cheat
  if (!labels.isAccused && (weight ?? 0) < keep.min_weight) return 'weight';
  return keep.within_reach && !difficulty.isWithinReach ? 'out-of-reach' : null;
}

/** Prompts one after the other, so that what belongs together is read together. */
function inOrder(one: Chosen, other: Chosen): number {
  return (
    byName(one.group.key, other.group.key) ||
    byName(one.candidate.instance, other.candidate.instance) ||
    byName(one.candidate.id, other.candidate.id)
  );
}

function bestOf(chosen: readonly Chosen[], most: number): readonly string[] {
  const seen = new Set<string>();
  return [...chosen]
    .filter(({ candidate }) => !candidate.labels.isAccused)
    .sort((one, other) => other.quality - one.quality || byName(one.candidate.id, other.candidate.id))
    .filter(({ group }) => !seen.has(group.key) && seen.add(group.key).size > 0)
    .slice(0, most)
    .map(({ candidate }) => candidate.id);
}
