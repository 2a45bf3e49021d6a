import { expect, test } from 'vitest';
import { digestOf } from '../../platform/base/digest.ts';
import type { GradeBody, MeasuredGrade } from '../grade/grade.ts';
import type { Screening, Signal } from '../signal/signal.ts';
import { judge } from './judge.ts';
import { verdictBodySchema } from './verdict.ts';

const result = (id: string, status: 'passed' | 'failed') => ({ id, status, note: '', wallMs: 1 });

const PASSED: MeasuredGrade = {
  kind: 'measured',
  inputs: {
    ...{ task: digestOf('t'), instance: digestOf('i'), artifact: digestOf('a') },
    snapshot: { name: 'python', digest: digestOf('s'), pinned: true },
    grader: { name: 'stdio', digest: digestOf('g') },
  },
  ...{ assurance: 'oracle', refusal: null, score: 1, passed: true, phases: {}, stderrTail: '' },
  cases: [result('case-1', 'passed'), result('case-2', 'passed')],
  resources: { cpuMs: 1, memoryPeakBytes: 1 },
};
const HALF: MeasuredGrade = {
  ...PASSED,
  cases: [result('a', 'passed'), result('b', 'failed')],
  score: 0.5,
  passed: false,
};
const UNGRADED: GradeBody = {
  ...{ kind: 'ungraded', inputs: null, fault: 'platform', code: 'sandbox-failed', message: 'no sandbox' },
};

/** A screening with one signal of each severity, and detectors that ran or not. */
function screening(severities: readonly Signal['severity'][], ran: readonly boolean[] = [true]): Screening {
  return {
    artifactId: 'sub_1',
    detectors: ran.map((one, index) => ({ name: `d${index}`, ran: one, error: '' })),
    signals: severities.map((severity) => ({
      ...{ kind: `a-${severity}`, severity, summary: 's', evidence: [{ path: 'p', detail: 'd' }] },
    })),
    digest: digestOf('screening'),
  };
}

const verdictOn = (body: GradeBody, scoring: 'all' | 'fraction' = 'all', looked: Screening | null = screening([])) =>
  judge({
    ...{ artifact: { digest: digestOf('artifact') }, grade: { body, digest: digestOf('grade') } },
    ...{ screening: looked, scoring },
  });
const integrity = (looked: Screening | null) => verdictOn(PASSED, 'all', looked).integrity;

test('right and honest work has passed, with all that the verdict rests on', () => {
  const verdict = verdictOn(PASSED);
  expect(verdict).toEqual({
    ...{ outcome: 'passed', integrity: 'clean', assurance: 'oracle', fault: 'none', score: 1, pinned: true },
    ...{ cases: { passed: 2, total: 2 }, signals: [], reason: null },
    basis: { artifact: digestOf('artifact'), grade: digestOf('grade'), screening: digestOf('screening') },
  });
  expect(verdictBodySchema.parse(verdict)).toEqual(verdict);
});

test('half-right work has failed through the subject’s own fault', () => {
  expect(verdictOn(HALF)).toMatchObject({ outcome: 'failed', fault: 'subject', cases: { passed: 1, total: 2 } });
});

test('partial credit is given only where the task scores by fraction', () => {
  expect(verdictOn(HALF, 'all').score).toBe(0);
  expect(verdictOn(HALF, 'fraction').score).toBe(0.5);
  expect([verdictOn(PASSED, 'all').score, verdictOn(PASSED, 'fraction').score]).toEqual([1, 1]);
});

test('a refused hand-in has failed and says why', () => {
  const refused = { ...HALF, cases: [], score: 0, refusal: 'too-large: more than 10 bytes' };
  expect(verdictOn(refused, 'fraction')).toMatchObject({
    ...{ outcome: 'failed', fault: 'subject', score: 0, cases: { passed: 0, total: 0 } },
    reason: 'too-large: more than 10 bytes',
  });
});

test.each([
  ['platform', 'platform'],
  ['evidence', 'platform'],
  ['task', 'task'],
] as const)('what was not graded through the fault of the %s is never the subject’s', (fault, blamed) => {
  expect(verdictOn({ ...UNGRADED, fault })).toMatchObject({
    ...{ outcome: 'ungraded', fault: blamed, assurance: null, score: 0, pinned: false },
    reason: 'sandbox-failed',
  });
});

test('an environment that no digest names is told', () => {
  const snapshot = { name: 'host', digest: digestOf('h'), pinned: false };
  expect(verdictOn({ ...PASSED, inputs: { ...PASSED.inputs, snapshot } }).pinned).toBe(false);
  expect(verdictOn({ ...PASSED, inputs: { ...PASSED.inputs, snapshot: null } }).pinned).toBe(false);
  expect(verdictOn({ ...UNGRADED, inputs: PASSED.inputs }).pinned).toBe(true);
});

test('notes leave a hand-in clean, a suspicion and a violation do not', () => {
  expect(integrity(screening(['note', 'note']))).toBe('clean');
  expect(integrity(screening(['note', 'suspect']))).toBe('suspect');
  expect(integrity(screening(['suspect', 'violation', 'note']))).toBe('violated');
});

test('nothing is clean that could not be looked at', () => {
  expect(integrity(null)).toBe('unknown');
  expect(integrity(screening([], [true, false]))).toBe('unknown');
  expect(integrity(screening(['suspect'], [false]))).toBe('unknown');
});

test('proof of tampering counts although a detector could not run', () => {
  expect(integrity(screening(['violation'], [false, true]))).toBe('violated');
});

test('without a screening the verdict rests on none', () => {
  expect(verdictOn(PASSED, 'all', null)).toMatchObject({ signals: [], basis: { screening: null } });
});

test('honesty changes neither the score nor the outcome: those are two questions', () => {
  const suspect = verdictOn(PASSED, 'all', screening(['violation']));
  expect(suspect).toMatchObject({ outcome: 'passed', score: 1, integrity: 'violated' });
  expect(suspect.signals).toEqual([{ kind: 'a-violation', severity: 'violation' }]);
});

test.each([
  ['a twin that passed with its original', ['a'], [], [], 'violated'],
  ['such a twin and a doubt', ['a'], ['unknown-result'], ['suspect'], 'violated'],
  ['a sign of forging', [], ['duplicate-result'], [], 'suspect'],
  ['a sign where a detector saw a violation', [], ['duplicate-result'], ['violation'], 'violated'],
  ['nothing', [], [], [], 'clean'],
] as const)('%s in a witnessed run decides integrity', (...row) => {
  const [, green, signs, severities, integrity] = row;
  const witness = { twins: 1, testsWithTwins: 1, of: 2, green: [...green], signs: [...signs] };
  const grade: MeasuredGrade = { ...HALF, assurance: 'witnessed', witness };
  expect(verdictOn(grade, 'all', screening(severities)).integrity).toBe(integrity);
});
