import { expect, test } from 'vitest';
import { episodeOf, stepOf } from '../../../test/support/episodes.ts';
import { compareRuns, type Outcome, studentT } from './compare-runs.ts';
import { failureOf } from './failure.ts';

const outcome = (instance: string, score: number | null, cause: Outcome['cause'] = null): Outcome => ({
  ...{ task: 'test/t', instance, score, kind: cause === null ? null : 'wrong', cause },
});

test('rollouts of one instance are averaged, instances of one run alone say nothing, and what was not graded is no zero', () => {
  const one = [outcome('a', 0), outcome('a', 1), outcome('b', 0, 'tool-use'), outcome('x', 1)];
  const other = [outcome('a', 1), outcome('b', 1), outcome('b', null), outcome('y', 0), outcome('z', 0)];
  expect(compareRuns(one, other)).toMatchObject({
    all: { instances: 2, one: 0.25, other: 1, difference: 0.75 },
    ...{ onlyOne: 1, onlyOther: 2, notGraded: 1, causes: { 'tool-use': { one: 1, other: 0 } } },
  });
  expect(compareRuns(one, []).all).toMatchObject({ instances: 0, interval: null });
});

test('the interval is Student’s', () => {
  expect(studentT(1)).toBeCloseTo(12.706, 2);
  expect(studentT(10)).toBeCloseTo(2.228, 3);
  expect(studentT(1_000)).toBeCloseTo(1.962, 3);
  const same = Array.from({ length: 9 }, (_, n) => outcome(`i${n}`, n % 2));
  expect(compareRuns(same, same).all).toMatchObject({ difference: 0, interval: [0, 0] });
});

test('a failure has its kind and a cause from the record', () => {
  const failed = { n: 1, outcome: 'failed' as const };
  expect(failureOf(episodeOf({ n: 1 }))).toBeNull();
  expect(failureOf(episodeOf({ n: 1, integrity: 'violated' }))).toEqual({ kind: 'cheated', cause: 'cheat-technique' });
  expect(failureOf(episodeOf({ ...failed, commands: ['vi a', 'pytest'] }))).toEqual({
    ...{ kind: 'wrong', cause: 'task-understanding' },
  });
  expect(failureOf(episodeOf({ ...failed, commands: ['vi a', 'make'] }))?.cause).toBe('model-output');
  expect(failureOf(episodeOf({ ...failed, commands: ['a', 'a', 'a', 'a'] }))?.cause).toBe('tool-use');
  const broken = { ...episodeOf(failed), steps: ['x', 'y'].map((command) => stepOf({ command, exitCode: 127 })) };
  expect(failureOf(broken)).toEqual({ kind: 'wrong', cause: 'tool-use' });
  const late = {
    ...episodeOf(failed),
    steps: [stepOf({ command: 'ls' }), stepOf({ command: 'x', status: 'timed-out' })],
  };
  expect(failureOf(late)?.kind).toBe('timed-out');
  expect(failureOf({ ...episodeOf(failed), artifactId: null, verdict: null })?.kind).toBe('not-done');
  expect(failureOf(episodeOf({ n: 1, outcome: 'ungraded' }))).toMatchObject({ kind: 'environment' });
});
