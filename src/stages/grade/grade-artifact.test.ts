import { expect, test } from 'vitest';
import type { CaseResult } from './grade.ts';
import { everyCaseOnce } from './grade-artifact.ts';

const result = (id: string, status: CaseResult['status'] = 'passed'): CaseResult => ({
  id,
  status,
  note: '',
  wallMs: 1,
});
const statuses = (cases: readonly CaseResult[]) => cases.map(({ id, status }) => `${id} ${status}`);

test('results come out in the order in which the cases were drawn', () => {
  const results = [result('c'), result('a', 'failed'), result('b', 'timed-out')];
  expect(everyCaseOnce(['a', 'b', 'c'], results)).toEqual([results[1], results[2], results[0]]);
});

test('a case without a result is missing, never passed', () => {
  expect(everyCaseOnce(['a', 'b'], [result('b')])).toEqual([
    { id: 'a', status: 'missing', note: 'no result', wallMs: 0 },
    result('b'),
  ]);
});

test('a case with two results is missing even when both say that it passed', () => {
  expect(everyCaseOnce(['a'], [result('a'), result('a')])).toEqual([
    { id: 'a', status: 'missing', note: 'more than one result', wallMs: 0 },
  ]);
});

test('a result for a case that nobody asked for does not count', () => {
  expect(statuses(everyCaseOnce(['a'], [result('a', 'crashed'), result('A'), result('extra')]))).toEqual(['a crashed']);
  expect(everyCaseOnce([], [result('extra')])).toEqual([]);
});
