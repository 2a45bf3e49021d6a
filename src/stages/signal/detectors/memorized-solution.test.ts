import { expect, test } from 'vitest';
import { screened } from '../../../../test/support/screened.ts';
import { printOf } from '../screen-input.ts';
import { memorizedSolution } from './memorized-solution.ts';

test('a twin is a note that names it, and no twin says nothing', () => {
  const input = screened({ 'main.py': 'x' });
  expect(memorizedSolution.detect(input)).toEqual([]);
  expect(memorizedSolution.detect({ ...input, twins: ['sub_a', 'sub_b'] })).toMatchObject([
    { severity: 'note', evidence: [{ path: 'sub_a' }, { path: 'sub_b' }] },
  ]);
});

test('a print is of what the subject wrote: not of what was given, nor of its own tests', () => {
  const given = { 'main.py': 'start', 'data.txt': 'one' };
  const one = printOf(screened({ 'main.py': 'done', 'data.txt': 'one' }, { given }));
  const sameWork = { given: { ...given, 'data.txt': 'other' } };
  expect(printOf(screened({ 'main.py': 'done', 'data.txt': 'other', 'tests/test_a.py': 't' }, sameWork))).toBe(one);
  expect(printOf(screened({ 'main.py': 'done!', 'data.txt': 'one' }, { given }))).not.toBe(one);
  expect(printOf(screened(given, { given }))).toBeNull();
});
