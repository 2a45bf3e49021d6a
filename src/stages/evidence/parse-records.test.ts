import { expect, test } from 'vitest';
import { chainOf } from '../../../test/support/evidence-rows.ts';
import { parseRecords } from './parse-records.ts';

const RECORDS = chainOf(3);

test('one record, a list of them and one on each line are read alike', () => {
  expect(parseRecords(JSON.stringify(RECORDS[0]))).toEqual([RECORDS[0]]);
  expect(parseRecords(JSON.stringify(RECORDS[0], null, 2))).toEqual([RECORDS[0]]);
  expect(parseRecords(JSON.stringify(RECORDS, null, 2))).toEqual(RECORDS);
  expect(parseRecords(RECORDS.map((record) => JSON.stringify(record)).join('\n\n'))).toEqual(RECORDS);
  expect(parseRecords(`${JSON.stringify(RECORDS[0])}\r\n`)).toEqual([RECORDS[0]]);
});

test.each<[string, string, RegExp]>([
  ['nothing', '', /empty/],
  ['blank lines', '\n \n', /empty/],
  ['an empty list', '[]', /empty/],
  ['text that is no JSON', 'hello', /the file cannot be read: .*not JSON/],
  [
    'a record that is cut off',
    JSON.stringify(RECORDS[0], null, 2).slice(0, -30),
    /the file cannot be read: .*not JSON/,
  ],
  ['a list that is cut off', JSON.stringify(RECORDS).slice(0, -30), /the file cannot be read/],
  ['lines of which the last is cut off', `${JSON.stringify(RECORDS[0])}\n{"format": `, /record 2 cannot be read/],
  ['a number', '7', /value 1 is not a JSON object/],
  ['null', 'null', /value 1 is not a JSON object/],
  ['a list with a number', '[{}, 7]', /value 2 is not a JSON object/],
  ['a list in a list', '[[{}]]', /value 1 is not a JSON object/],
  ['nesting without end', `{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`, /nested deeper/],
  ['a key that reaches for prototypes', '{"__proto__": {"x": 1}}', /__proto__/],
  ['a number that is not finite', '{"x": 1e999}', /not finite/],
])('%s is refused with what is wrong', (_name, text, message) => {
  expect(() => parseRecords(text)).toThrow(message);
  expect(() => parseRecords(text)).toThrow(expect.objectContaining({ code: 'bad-request' }));
});

test('millions of tiny values are refused before they are made', () => {
  expect(() => parseRecords(`[${'{},'.repeat(4_000_001)}{}]`)).toThrow(expect.objectContaining({ code: 'too-large' }));
});

test('what the text holds does not reach a terminal as it is', () => {
  expect(() => parseRecords('\u001b[2J')).toThrow(/\\u001b/);
  expect(() => parseRecords('\u001b[2J')).not.toThrow('\u001b');
});
