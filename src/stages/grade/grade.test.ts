import { expect, test } from 'vitest';
import { digestOf } from '../../platform/base/digest.ts';
import { gradeBodySchema, gradeDigest, type MeasuredGrade } from './grade.ts';

const MEASURED: MeasuredGrade = {
  kind: 'measured',
  inputs: {
    task: digestOf('task'),
    instance: digestOf('instance'),
    artifact: digestOf('artifact'),
    snapshot: { name: 'python', digest: digestOf('snapshot'), pinned: true },
    grader: { name: 'stdio', digest: digestOf('grader') },
  },
  assurance: 'oracle',
  cases: [
    { id: 'case-1', status: 'passed', note: '', wallMs: 12 },
    { id: 'case-2', status: 'failed', note: 'expected 1, got 2', wallMs: 13 },
  ],
  refusal: null,
  score: 0.5,
  passed: false,
  resources: { cpuMs: 20, memoryPeakBytes: 1_000 },
  phases: { runMs: 25 },
  stderrTail: 'warning',
};
const [ONE, TWO] = MEASURED.cases as [MeasuredGrade['cases'][number], MeasuredGrade['cases'][number]];

test.each<[string, Partial<MeasuredGrade>]>([
  ['times of cases', { cases: [{ ...ONE, wallMs: 999 }, TWO] }],
  ['notes', { cases: [ONE, { ...TWO, note: 'other words' }] }],
  ['resources', { resources: { cpuMs: null, memoryPeakBytes: null } }],
  ['phases', { phases: {} }],
  ['standard error', { stderrTail: '' }],
])('%s do not count, so that grading again gives the same digest', (_name, change) => {
  expect(gradeDigest({ ...MEASURED, ...change })).toBe(gradeDigest(MEASURED));
});

test.each<[string, Partial<MeasuredGrade>]>([
  ['the status of a case', { cases: [ONE, { ...TWO, status: 'crashed' }] }],
  ['the id of a case', { cases: [ONE, { ...TWO, id: 'case-3' }] }],
  ['the order of cases', { cases: [TWO, ONE] }],
  ['a missing case', { cases: [ONE] }],
  ['the score', { score: 1 }],
  ['whether it passed', { passed: true }],
  ['a refusal', { refusal: 'too-large: x' }],
  ['the assurance', { assurance: 'plain' }],
  ['the artifact', { inputs: { ...MEASURED.inputs, artifact: digestOf('other') } }],
  ['the task', { inputs: { ...MEASURED.inputs, task: digestOf('other') } }],
  ['the instance', { inputs: { ...MEASURED.inputs, instance: digestOf('other') } }],
  ['the snapshot', { inputs: { ...MEASURED.inputs, snapshot: null } }],
  ['the grader', { inputs: { ...MEASURED.inputs, grader: { name: 'stdio', digest: digestOf('other') } } }],
])('%s counts', (_name, change) => {
  expect(gradeDigest({ ...MEASURED, ...change })).not.toBe(gradeDigest(MEASURED));
});

test('of an ungraded hand-in the fault and the code count, the words do not', () => {
  const ungraded = { kind: 'ungraded', inputs: null, fault: 'platform', code: 'sandbox-failed', message: 'a' } as const;
  expect(gradeDigest({ ...ungraded, message: 'b' })).toBe(gradeDigest(ungraded));
  expect(gradeDigest({ ...ungraded, code: 'disk-full' })).not.toBe(gradeDigest(ungraded));
  expect(gradeDigest({ ...ungraded, fault: 'task' })).not.toBe(gradeDigest(ungraded));
  expect(gradeDigest(ungraded)).not.toBe(gradeDigest(MEASURED));
});

test('a grade fits its schema, and a score that is no share does not', () => {
  expect(gradeBodySchema.parse(MEASURED)).toEqual(MEASURED);
  for (const score of [Number.NaN, -0.1, 1.1, Number.POSITIVE_INFINITY]) {
    expect(gradeBodySchema.safeParse({ ...MEASURED, score }).success, String(score)).toBe(false);
  }
});

test('how a run was watched counts, and rows from before there was such a thing keep their digest', () => {
  const witness = { twins: 2, testsWithTwins: 2, of: 2, green: [], signs: [] };
  expect(gradeDigest({ ...MEASURED, witness: undefined })).toBe(gradeDigest(MEASURED));
  expect(gradeDigest({ ...MEASURED, witness })).not.toBe(gradeDigest(MEASURED));
  expect(gradeDigest({ ...MEASURED, witness: { ...witness, green: ['a'] } })).not.toBe(
    gradeDigest({ ...MEASURED, witness }),
  );
  expect(gradeBodySchema.parse({ ...MEASURED, witness })).toEqual({ ...MEASURED, witness });
});
