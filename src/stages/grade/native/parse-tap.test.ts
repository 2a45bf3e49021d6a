import { expect, test } from 'vitest';
import { parseTap } from './parse-tap.ts';

const told = (text: string) => parseTap(text).observed.map(({ id, status }) => `${id} ${status}`);

test('results, directives and a plan are read; prose and nested results are nobody’s', () => {
  const text = [
    'TAP version 14',
    'loading …',
    'ok 1 - adds',
    '    ok 1 - a part',
    'not ok 2 - fails',
    '  ---',
    '  message: no',
    '  ...',
    'ok 3 - later # SKIP no network',
    'not ok 4 - some day # todo',
    'ok 5 a \\# in a name',
    'okay then',
    '1..5',
    '',
  ].join('\n');
  expect(parseTap(text).fault).toBeNull();
  expect(told(text)).toEqual([
    'adds passed',
    'fails failed',
    'later skipped',
    'some day failed',
    'a # in a name passed',
  ]);
});

test.each([
  ['ok 1 - a\n', 'there is no plan'],
  ['1..1\nok 1 - a\n1..1\n', 'there is more than one plan'],
  ['1..2\nok 1 - a\n', '1 results instead of 2'],
  ['ok 1 - a\nok 1 - a\n1..2\n', 'its numbers are not in order'],
  ['ok 2 - a\nok 1 - b\n1..2\n', 'its numbers are not in order'],
  ['ok 1 - a\nBail out! no disk\n1..1\n', 'it bailed out'],
  ['1..0\nok\n', '1 results instead of 0'],
])('%j is no sound stream', (text, fault) => {
  expect(parseTap(text).fault).toBe(fault);
});

test('a flood of results is cut, and then nothing is sound', () => {
  const { observed, fault } = parseTap(`${'ok\n'.repeat(200_000)}1..200000\n`);
  expect(observed).toHaveLength(20_000);
  expect(fault).toBe('more results than are read');
});

test('a line of megabytes is read in no time', () => {
  const line = `ok 1 - ${'#'.repeat(2_000_000)} skip`;
  const startedMs = performance.now();
  expect(parseTap(`${line}\n1..1`).observed[0]?.id.length).toBeLessThanOrEqual(1_000);
  expect(performance.now() - startedMs).toBeLessThan(2_000);
});
