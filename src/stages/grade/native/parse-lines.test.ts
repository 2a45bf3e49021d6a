import { expect, test } from 'vitest';
import { parseGo } from './parse-go.ts';
import { parseLibtest } from './parse-libtest.ts';

const names = (observed: readonly { id: string; status: string }[]) =>
  observed.map(({ id, status }) => `${id} ${status}`);

test('results of Go are found behind what a test printed, and parts have the names of their tests', () => {
  const text = [
    '=== RUN   TestA',
    'no line end--- PASS: TestA (0.01s)',
    '=== RUN   TestB/part_one',
    '    --- FAIL: TestB/part_one (0.00s)',
    '--- FAIL: TestB (0.00s)',
    '--- SKIP: TestC (0.00s)',
    '--- PASS: TestD (0.00s) and more',
  ].join('\n');
  expect(names(parseGo(text))).toEqual(['TestA passed', 'TestB/part_one failed', 'TestB failed', 'TestC skipped']);
});

test('a flood of Go results is cut', () => {
  expect(parseGo('--- PASS: T (0.00s)\n'.repeat(100_000))).toHaveLength(20_000);
});

const SUMMARY = (passed: number, failed: number, ignored = 0) =>
  `test result: ${failed > 0 ? 'FAILED' : 'ok'}. ${passed} passed; ${failed} failed; ${ignored} ignored; 0 measured; 0 filtered out; finished in 0.00s\n`;

test('results of Rust are read, behind what a test printed too', () => {
  const text = `\nrunning 4 tests\ntest adds ... ok\ntest ends - should panic ... FAILED\ntest says ... hello\nok\ntest later ... ignored, slow\n\n${SUMMARY(2, 1, 1)}`;
  const { observed, fault } = parseLibtest(text);
  expect(names(observed)).toEqual(['adds passed', 'ends failed', 'says passed', 'later skipped']);
  expect(fault).toBeNull();
});

test.each([
  ['no summary, as after an exit', 'test a ... ok\n', '0 summaries instead of one'],
  ['two', `test a ... ok\n${SUMMARY(1, 0)}${SUMMARY(1, 0)}`, '2 summaries instead of one'],
  ['one that counts more', `test a ... ok\n${SUMMARY(2, 0)}`, 'its summary counts something else'],
  ['a failure that it does not count', `test a ... FAILED\n${SUMMARY(1, 0)}`, 'its summary counts something else'],
])('a run of Rust tests with %s is no whole run', (_name, text, fault) => {
  expect(parseLibtest(text).fault).toBe(fault);
});
