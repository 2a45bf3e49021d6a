import { expect, test } from 'vitest';
import { gradeReport, type SuiteReport, type SuiteResult } from './grade-pytest.ts';

const result = (
  id: string,
  status: SuiteResult['status'] = 'passed',
  words: Record<string, number> = {},
): SuiteResult => ({
  ...{ kind: 'result', id, status, note: '', wallMs: 1 },
  ...{ words, uses: [], results: {} },
});
const report = (results: SuiteResult[], rest: Partial<SuiteReport> = {}): SuiteReport => ({
  collected: results.map(({ id }) => id),
  problems: [],
  results,
  complete: true,
  ...rest,
});
const needed = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, { words: {}, uses: [] }]));

test('the required tests are those that the task names, whatever was collected', () => {
  const graded = gradeReport(report([result('a'), result('extra')]), needed('a', 'b'));
  expect(graded.required).toEqual(['a', 'b']);
});

test('without a list every collected test is required', () => {
  expect(gradeReport(report([result('a'), result('b', 'failed')]), null).required).toEqual(['a', 'b']);
});

test('a file that cannot be collected is a failed test, not a smaller suite', () => {
  const graded = gradeReport(report([result('a')], { problems: [{ id: 'test_b.py', note: 'ImportError' }] }), null);
  expect(graded.required).toEqual(['a', 'test_b.py']);
  expect(graded.results.find(({ id }) => id === 'test_b.py')?.status).toBe('failed');
});

test('tests that were not reached when the time was over are timed out', () => {
  const graded = gradeReport(report([result('a')], { complete: false }), needed('a', 'b'));
  expect(graded.results.map(({ id, status }) => `${id} ${status}`)).toEqual(['a passed', 'b timed-out']);
});

test('an answer that was believed without a profile of the reference makes the run witnessed', () => {
  const believing = report([result('a', 'passed', { '< shapes.Square int': 1 })]);
  expect(gradeReport(believing, null).assurance).toBe('witnessed');
  expect(gradeReport(believing, needed('a')).assurance).toBe('oracle');
  expect(gradeReport(report([result('a')]), null).assurance).toBe('oracle');
});
