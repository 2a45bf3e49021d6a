import { expect, test } from 'vitest';
import { ProctorError } from '../../platform/base/errors.ts';
import { REQUIRED_FILE, readRequired, writeRequired } from './required-tests.ts';

const fileOf = (text: string) => [{ path: REQUIRED_FILE, mode: 0o644, bytes: Buffer.from(text) }];

test('what is written is read again', () => {
  const tests = {
    'test_a.py::test_one[x-"]': { words: { '== m.C m.C': 2 }, uses: ['area'] },
    'test_a.py::test_two': { words: {}, uses: [] },
  };
  expect(readRequired(fileOf(writeRequired(tests)))).toEqual(tests);
});

test('a task without the file names no tests', () => {
  expect(readRequired([])).toBeNull();
});

test.each([
  '',
  '{}',
  '[]',
  '{"version":2,"tests":{}}',
  '{"version":1,"tests":{"a":{"words":{"x":0}}}}',
  '{"version":1,"tests":[]}',
])('a file that is none is the task’s fault: %s', (text) => {
  expect(() => readRequired(fileOf(text))).toThrow(ProctorError);
});
