import { type Digest, digestOfJson } from '../../platform/base/digest.ts';
import { byName } from './by-name.ts';
import type { Choice, Chosen, LeftOut } from './chosen.ts';
import type { Bar } from './draw-bars.ts';
import type { Recipe } from './recipe.ts';
import type { WrittenFile } from './record-file.ts';

/** What a data set is, for those who train on it and those who check it. Holds no time of its making: the same data give the same sheet. */
export interface Datasheet {
  readonly format: 'proctor/dataset/1';
  readonly name: string;
  readonly about: string;
  readonly licence: string;
  /** Of the recipe and of every file with records: names the data set. */
  readonly digest: Digest;
  readonly recipe: Recipe;
  readonly episodes: { readonly looked_at: number; readonly taken: number; readonly negatives: number };
  /** Why episodes are not in it, and how many of each. */
  readonly left_out: Readonly<Partial<Record<LeftOut, number>>>;
  readonly files: Readonly<Record<string, WrittenFile>>;
  readonly distributions: Readonly<Record<Distribution, readonly Bar[]>>;
  readonly policies: readonly Bar[];
  readonly contamination: {
    readonly prompt_groups: { readonly train: number; readonly test: number };
    /** Always none: groups are put on one side as a whole. */
    readonly prompt_groups_on_both_sides: number;
    /** Episodes of instances that were served for evaluation, or whose seed is known outside. */
    readonly evaluated_left_out: number;
    readonly seed_retired_left_out: number;
    readonly searched_for: readonly string[];
  };
  /** What a person should look at before anybody trains on it. */
  readonly human_check: readonly string[];
}

export const DISTRIBUTIONS = [
  ...(['task', 'outcome', 'technique', 'steps', 'quality', 'reward', 'difficulty', 'side'] as const),
] as const;
export type Distribution = (typeof DISTRIBUTIONS)[number];

/** Names that a chart has room for. */
const MOST_BARS = 30;
const SEARCHED = [
  ...['seeds', 'draw secrets', 'hidden values', 'hidden tests', 'decoys', 'API keys', 'private keys'],
] as const;

/** Counts what was taken. */
export function makeDatasheet(made: {
  readonly recipe: Recipe;
  readonly choice: Choice;
  readonly lookedAt: number;
  /** Taken in the end, and what was left out on the way. */
  readonly taken: readonly Chosen[];
  readonly leftOut: Datasheet['left_out'];
  readonly files: Datasheet['files'];
}): Datasheet {
  const { recipe, choice, taken, leftOut, files } = made;
  const { name, about, licence } = recipe;
  const ids = new Set(taken.map(({ candidate }) => candidate.id));
  return {
    ...{ format: 'proctor/dataset/1', name, about, licence },
    digest: digestOfJson({ format: 'proctor/dataset/1', recipe: JSON.parse(JSON.stringify(recipe)), files }),
    recipe,
    episodes: {
      ...{ looked_at: made.lookedAt, taken: taken.length },
      negatives: taken.filter(({ candidate }) => candidate.labels.isAccused).length,
    },
    ...{ left_out: sorted(leftOut), files: sorted(files) },
    distributions: distributionsOf(taken),
    policies: barsOf(taken, ({ candidate }) => candidate.policy ?? 'not told'),
    contamination: contaminationOf(taken, leftOut),
    human_check: choice.humanCheck.filter((id) => ids.has(id)),
  };
}

function contaminationOf(taken: readonly Chosen[], leftOut: Datasheet['left_out']): Datasheet['contamination'] {
  const sides = { train: new Set<string>(), test: new Set<string>() };
  for (const { group, candidate } of taken) sides[group.side].add(candidate.instance).add(group.key);
  const keys = (side: keyof typeof sides) =>
    new Set(taken.filter((each) => each.group.side === side).map((each) => each.group.key));
  return {
    prompt_groups: { train: keys('train').size, test: keys('test').size },
    prompt_groups_on_both_sides: [...sides.train].filter((each) => sides.test.has(each)).length,
    ...{ evaluated_left_out: leftOut.evaluated ?? 0, seed_retired_left_out: leftOut['seed-retired'] ?? 0 },
    searched_for: SEARCHED,
  };
}

function distributionsOf(taken: readonly Chosen[]): Datasheet['distributions'] {
  const of = (name: (each: Chosen) => string) => barsOf(taken, name);
  return {
    task: of(({ candidate }) => candidate.task),
    outcome: of(({ candidate: { labels } }) => labels.outcome),
    technique: of(({ candidate: { labels } }) => (labels.isAccused ? (labels.technique ?? 'unnamed') : 'none')),
    steps: of(({ candidate }) => classOf(candidate.steps, [5, 10, 20, 50, 100, 200])),
    quality: of(({ quality }) => classOf(quality, [0.2, 0.4, 0.6, 0.8, 1])),
    reward: of(({ candidate }) => classOf(candidate.reward ?? 0, [0, 0.25, 0.5, 0.75, 1])),
    difficulty: of(({ difficulty }) => difficulty.tier),
    side: of(({ group }) => group.side),
  };
}

/** The name of the class of a number: up to which bound it is. */
function classOf(value: number, bounds: readonly number[]): string {
  const bound = bounds.find((each) => value <= each);
  return bound === undefined ? `more than ${bounds.at(-1)}` : `to ${bound}`;
}

function barsOf(taken: readonly Chosen[], name: (each: Chosen) => string): readonly Bar[] {
  const counts = new Map<string, number>();
  for (const each of taken) counts.set(name(each), (counts.get(name(each)) ?? 0) + 1);
  const bars = [...counts.entries()].map(([bar, count]) => ({ name: bar, count }));
  return bars.sort((one, other) => other.count - one.count || byName(one.name, other.name)).slice(0, MOST_BARS);
}

function sorted<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).sort(([one], [other]) => byName(one, other)));
}
