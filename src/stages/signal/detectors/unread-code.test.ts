import { expect, test } from 'vitest';
import { said } from '../../../../test/support/screened.ts';
import { unreadCode } from './unread-code.ts';

const table = (bytes: number) => `T = [${'1234567, '.repeat(bytes / 9)}]\n`;

test('Python too large to be read is noted', () => {
  expect(said(unreadCode, { 'table.py': table(600_000), 'a.py': 'x = 1\n' })).toEqual([
    expect.stringMatching(/^note table\.py \d+ bytes of Python were not read$/),
  ]);
});

test('of many files the largest is the one that is not read, so that bulk hides nothing small', () => {
  const bulk = Object.fromEntries([3, 4, 5].map((size) => [`bulk${size}.py`, table(size * 100_000)]));
  expect(said(unreadCode, { ...bulk, 'z.py': 'x = 1\n' }).map((found) => found.split(' ')[1])).toEqual(['bulk5.py']);
});

test('a large table that can be read, and data, are not', () => {
  expect(said(unreadCode, { 'table.py': table(300_000), 'data.json': `[${'1,'.repeat(400_000)}1]` })).toEqual([]);
});
