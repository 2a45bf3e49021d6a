import { expect, test } from 'vitest';
import { stepOf } from '../../../test/support/episodes.ts';
import { segmentSteps } from './segment.ts';

const run = (command: string, exitCode = 0) => stepOf({ command, exitCode });
const goals = (commands: Parameters<typeof run>[]) =>
  segmentSteps(commands.map(([command, code], index) => ({ ...run(command, code), step: index + 1 }))).map(
    ({ from, to, goal }) => `${goal} ${from}-${to}`,
  );

test('a session without goals is one part, one without steps none', () => {
  expect(goals([['ls'], ['cat a.py']])).toEqual(['end 1-2']);
  expect(segmentSteps([])).toEqual([]);
});

test('tests that turn green, and commits that went through, end a part; those that do not, do not', () => {
  expect(goals([['pytest', 1], ['vim'], ['pytest -q', 0], ['pytest', 0], ['ls']])).toEqual([
    'tests-green 1-3',
    'end 4-5',
  ]);
  expect(goals([['git add . && git commit -m x'], ['git commit -m y', 1], ['echo git commit > f'], ['ls']])).toEqual([
    'commit 1-1',
    'end 2-4',
  ]);
  expect(goals([['pytest'], ['pytest', 1], ['pytest']])).toEqual(['tests-green 1-1', 'tests-green 2-3']);
});

test('a user’s turn and a new task begin a part, a milestone ends one, and each part knows what came before', () => {
  const marks = [null, ['user-turn', 'now the docs'], null, ['milestone', 'built'], ['task', 'two']] as const;
  const steps = marks.map((mark, index) => ({
    ...run('ls'),
    step: index + 1,
    mark: mark === null ? null : { kind: mark[0], text: mark[1] },
  }));
  expect(segmentSteps(steps)).toEqual([
    { from: 1, to: 1, goal: 'user-turn', reached: 'now the docs', context: { stepsBefore: 0, goals: [], asked: '' } },
    {
      ...{ from: 2, to: 4, goal: 'milestone', reached: 'built' },
      context: { stepsBefore: 1, goals: ['user-turn'], asked: 'now the docs' },
    },
    {
      ...{ from: 5, to: 5, goal: 'end', reached: '' },
      context: { stepsBefore: 4, goals: ['user-turn', 'milestone'], asked: 'two' },
    },
  ]);
});

test('endless commits and hostile commands cost little', () => {
  const many = Array.from({ length: 4_000 }, (_, index) => ({ ...run('git commit'), step: index + 1 }));
  expect(segmentSteps(many)).toHaveLength(200);
  expect(segmentSteps(many).at(-1)?.to).toBe(4_000);
  const startedMs = performance.now();
  segmentSteps([run(`git${' a'.repeat(500_000)}`), run(`python ${'/'.repeat(1_000_000)}test.py`)]);
  expect(performance.now() - startedMs).toBeLessThan(500);
});
