import { expect, test } from 'vitest';
import { episodeOf, type GivenEpisode } from '../../../test/support/episodes.ts';
import { FailureTally } from './failure-report.ts';

function tallyOf(given: readonly Omit<GivenEpisode, 'n'>[]): FailureTally {
  const tally = new FailureTally();
  given.forEach((each, n) => {
    tally.note(episodeOf({ n: n + 1, ...each }));
  });
  return tally;
}
const wrong = { outcome: 'failed', commands: ['vi a', 'make'] } as const;
const cheat = { integrity: 'violated', signals: [{ kind: 'early-exit', severity: 'violation' }] } as const;
const many = <T>(count: number, each: T): readonly T[] => Array.from({ length: count }, () => each);

test('failures that are alike are one cluster with a rate and its interval, the most frequent first', () => {
  const [first, second] = tallyOf([...many(3, wrong), ...many(6, {}), cheat]).report(null);
  expect(first).toMatchObject({ kind: 'wrong', cause: 'model-output', count: 3, of: 10, rate: 0.3, change: null });
  expect(first?.low).toBeGreaterThan(0.05);
  expect(second).toMatchObject({ kind: 'cheated', feature: 'early-exit', count: 1 });
});

test('beside the window before it is said what is new and what got worse', () => {
  const before = tallyOf([wrong, ...many(99, {})]);
  const now = tallyOf([...many(50, wrong), ...many(49, {}), cheat]);
  expect(now.report(before).map(({ kind, change }) => [kind, change])).toEqual([
    ['wrong', 'worse'],
    ['cheated', 'new'],
  ]);
  expect(before.report(before)[0]?.change).toBe('same');
});

test('a regression set has each instance once, and none that only our fault failed', () => {
  const tally = tallyOf([wrong, wrong, { ...wrong, prompt: 'q' }, { outcome: 'ungraded', prompt: 'r' }]);
  expect(tally.cases()).toHaveLength(2);
});
