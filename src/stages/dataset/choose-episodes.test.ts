import { expect, test } from 'vitest';
import { episodeOf, type GivenEpisode } from '../../../test/support/episodes.ts';
import { candidateOf } from './candidate.ts';
import { chooseEpisodes } from './choose-episodes.ts';
import { parseRecipe } from './recipe.ts';

/** Different enough not to be taken for one session. */
const words = (n: number) => Array.from({ length: 12 }, (_, index) => `edit part${n}-${index} of file${n * 7 + index}`);
const candidate = (given: GivenEpisode) => candidateOf(episodeOf({ commands: words(given.n), ...given }), false);
const recipe = (more: string = '') => parseRecipe(`name: t\nseed: 7\n${more}`);
const idsOf = ({ chosen }: ReturnType<typeof chooseEpisodes>) =>
  chosen.map((each) => Number(each.candidate.id.slice(5, 14)));
const choose = (given: readonly GivenEpisode[], more?: string) => chooseEpisodes(given.map(candidate), recipe(more));

test('nothing that was found to cheat is taken, unless negatives are asked for, and then it is labelled', () => {
  const given: GivenEpisode[] = [
    { n: 1 },
    { n: 2, integrity: 'violated', signals: [{ kind: 'early-exit', severity: 'violation' }] },
    { n: 3, integrity: 'suspect' },
    { n: 4, integrity: 'unknown' },
  ];
  const plain = choose(given);
  expect(idsOf(plain)).toEqual([1]);
  expect(plain.leftOut).toEqual({ accused: 2, 'integrity-unknown': 1 });
  const { chosen } = choose(given, 'keep: {negatives: true}');
  expect(chosen.filter(({ candidate: { labels } }) => labels.isAccused)).toHaveLength(2);
});

test('what is masked, quarantined, pending, ungraded or known outside is never taken, negatives or not', () => {
  const pending = candidateOf({ ...episodeOf({ n: 9 }), reward: null }, false);
  const retired = candidateOf({ ...episodeOf({ n: 8 }), isRetired: true }, false);
  const given = [candidate({ n: 1, mask: true, integrity: 'violated' }), candidate({ n: 2, isEvaluated: true })];
  const ungraded = candidate({ n: 3, outcome: 'ungraded' });
  const all = [...given, ungraded, pending, retired];
  expect(chooseEpisodes(all, recipe('keep: {negatives: true}'))).toMatchObject({
    chosen: [],
    leftOut: { quarantined: 1, evaluated: 1, outcome: 1, pending: 1, 'seed-retired': 1 },
  });
});

test('of sessions that are nearly the same the best one stays, and a failed one is no copy of one that passed', () => {
  const same = words(1);
  const given: GivenEpisode[] = [
    { n: 1, commands: [...same, 'ls', 'ls', 'ls', 'ls'], prompt: 'a' },
    { n: 2, commands: same, prompt: 'b' },
    { n: 3, commands: same, outcome: 'failed', prompt: 'c' },
    { n: 4, prompt: 'd' },
  ];
  const { chosen, leftOut } = choose(given);
  expect(chosen.map((each) => each.candidate.id.slice(13, 14)).sort()).toEqual(['2', '3', '4']);
  expect(leftOut).toEqual({ 'near-duplicate': 1 });
  expect(choose(given, 'keep: {near_duplicates: true}').chosen).toHaveLength(4);
});

test('caps hold, every kind gets its turn, and what was left out adds up', () => {
  const given = Array.from({ length: 60 }, (_, n) => ({
    ...{ n: n + 1, task: n < 50 ? 'test/big' : 'test/small', prompt: `p${n % 6}` },
  }));
  const { chosen, leftOut } = choose(given, 'balance: {total: 20, per_task: 12, per_prompt: 3}');
  const ofTask = (task: string) => chosen.filter((each) => each.candidate.task === task).length;
  expect([ofTask('test/small'), ofTask('test/big')]).toEqual([10, 10]);
  for (const { group } of chosen) {
    expect(chosen.filter((each) => each.group.key === group.key).length).toBeLessThanOrEqual(3);
  }
  expect(choose(given, 'balance: {per_task: 4}').leftOut).toEqual({ 'per-task': 52 });
  expect(chosen.length + Object.values(leftOut).reduce((sum, n) => sum + n, 0)).toBe(60);
});

test('the same candidates give the same choice in whatever order they come; another seed gives another', () => {
  const given = Array.from({ length: 40 }, (_, n) => ({ n: n + 1, prompt: `p${n}` }));
  const few = 'balance: {total: 10}';
  const [one, other] = [choose(given, few), choose([...given].reverse(), few)];
  expect(idsOf(other)).toEqual(idsOf(one));
  const third = chooseEpisodes(given.map(candidate), parseRecipe(`name: t\nseed: 8\n${few}`));
  expect([...idsOf(third)].sort()).not.toEqual([...idsOf(one)].sort());
});

test('no prompt group is on both sides, also where a trainer’s group joins instances', () => {
  const given = Array.from({ length: 300 }, (_, n) => ({
    ...{ n: n + 1, prompt: `p${n % 100}` },
    labels: { run: 'r', group: n % 3 === 0 ? `g${n % 10}` : null },
  }));
  const { chosen } = choose(given, 'held_out: 0.3');
  const sides = new Map<string, Set<string>>();
  for (const { candidate: each, group } of chosen) {
    for (const name of [each.instance, each.trainerGroup ?? '']) {
      sides.set(name, (sides.get(name) ?? new Set()).add(group.side));
    }
  }
  sides.delete('');
  expect([...sides.values()].filter((side) => side.size > 1)).toEqual([]);
  expect(new Set(chosen.map(({ group }) => group.side))).toEqual(new Set(['train', 'test']));
});

test('reach, weight, length and quality leave out what they say; people get the best of each prompt', () => {
  const given = Array.from({ length: 20 }, (_, n) => ({ n: n + 1, prompt: `p${n % 4}` }));
  expect(choose(given, 'keep: {within_reach: true}').leftOut).toEqual({ 'out-of-reach': 20 });
  expect(choose(given, 'keep: {max_steps: 3}').leftOut).toEqual({ length: 20 });
  expect(choose([{ n: 1, outcome: 'failed', score: 0 }], 'keep: {min_quality: 0.9}').leftOut).toEqual({ quality: 1 });
  expect(choose(given, 'human_check: 3').humanCheck).toHaveLength(3);
  expect(choose(given, 'human_check: 9').humanCheck).toHaveLength(4);
});
