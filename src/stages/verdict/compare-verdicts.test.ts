import { expect, test } from 'vitest';
import { MEASURED } from '../../../test/support/evidence-rows.ts';
import { digestOf } from '../../platform/base/digest.ts';
import { type GradeBody, gradeDigest } from '../grade/grade.ts';
import { compareVerdicts, type Ruling } from './compare-verdicts.ts';
import { judge } from './judge.ts';
import { regradeReport } from './regrade-report.ts';

function ruling(grade: GradeBody): Ruling {
  const judged = { artifact: { digest: digestOf('a') }, grade: { body: grade, digest: gradeDigest(grade) } };
  return { grade, verdict: judge({ ...judged, screening: null, scoring: 'all' }) };
}

const FIRST = ruling(MEASURED);
const { inputs, cases } = MEASURED;
const fields = (again: GradeBody) => compareVerdicts(FIRST, ruling(again)).map(({ field }) => field);

test('times, notes, resources and the name of a pinned snapshot make no difference', () => {
  const again: GradeBody = {
    ...MEASURED,
    ...{ phases: { runMs: 9_999 }, resources: { cpuMs: null, memoryPeakBytes: null }, stderrTail: 'x' },
    cases: cases.map((one) => ({ ...one, note: 'other words', wallMs: 77 })),
    inputs: { ...inputs, snapshot: { name: digestOf('snapshot'), digest: digestOf('snapshot'), pinned: true } },
  };
  expect(compareVerdicts(FIRST, ruling(again))).toEqual([]);
  expect(regradeReport('ver_x', FIRST, ruling(again))).toMatchObject({
    ...{ verdictId: 'ver_x', same: true, differences: [], first: { outcome: 'failed' } },
    again: { digests: { verdict: expect.stringMatching(/^sha256:/), snapshot: digestOf('snapshot') } },
  });
});

test.each<[string, GradeBody, readonly string[]]>([
  [
    'a grader',
    { ...MEASURED, inputs: { ...inputs, grader: { name: 'function', digest: digestOf('new') } } },
    ['inputs.grader.digest'],
  ],
  [
    'a snapshot',
    { ...MEASURED, inputs: { ...inputs, snapshot: { name: 'python', digest: digestOf('new'), pinned: true } } },
    ['inputs.snapshot.digest'],
  ],
  ['a task', { ...MEASURED, inputs: { ...inputs, task: digestOf('new') } }, ['inputs.task']],
  ['an artifact', { ...MEASURED, inputs: { ...inputs, artifact: digestOf('new') } }, ['inputs.artifact']],
])('%s that changed is a difference, although the result is the same', (_name, again, expected) => {
  expect(fields(again)).toEqual(expected);
});

test('a result that changed is told by its place, with both values', () => {
  const right = cases.map((one) => ({ ...one, status: 'passed' as const }));
  expect(compareVerdicts(FIRST, ruling({ ...MEASURED, cases: right, score: 1, passed: true }))).toEqual([
    { field: 'score', first: 0.5, again: 1 },
    { field: 'passed', first: false, again: true },
    { field: 'cases.1.status', first: 'failed', again: 'passed' },
    { field: 'verdict.outcome', first: 'failed', again: 'passed' },
    { field: 'verdict.fault', first: 'subject', again: 'none' },
    { field: 'verdict.score', first: 0, again: 1 },
    { field: 'verdict.cases.passed', first: 1, again: 2 },
  ]);
});

test('cases that are gone, new or in another order are differences', () => {
  expect(fields({ ...MEASURED, cases: cases.slice(0, 1) })).toContain('cases.1.id');
  expect(fields({ ...MEASURED, cases: [...cases].reverse() })).toContain('cases.0.id');
  expect(fields({ ...MEASURED, cases: [] })).toEqual(expect.arrayContaining(['cases.0.id', 'cases.1.status']));
});

test('what was graded once and not again differs in its inputs too', () => {
  const ungraded = { kind: 'ungraded', inputs: null, fault: 'task', code: 'oracle-failed', message: 'a' } as const;
  expect(fields(ungraded)).toEqual(expect.arrayContaining(['inputs.task', 'kind', 'verdict.outcome']));
  expect(compareVerdicts(ruling(ungraded), ruling({ ...ungraded, message: 'b' }))).toEqual([]);
  expect(regradeReport('v', FIRST, ruling(ungraded)).again.digests).toMatchObject({ task: null, grader: null });
});
