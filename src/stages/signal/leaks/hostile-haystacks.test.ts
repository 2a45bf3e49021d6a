import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { findLeaks } from './find-leaks.ts';
import type { Haystack, Secret } from './leak.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const VALUE = 'Qx7-harbour_Lantern.4192';
const SECRET: Secret = { kind: 'seed', name: 'seed', value: VALUE };
const LONGER = `the answer is ${VALUE}, and it is followed by more text`;
const ENCODED = Buffer.from(LONGER).toString('base64');
const stack = (bytes: Buffer | string, name = 'a.txt'): Haystack => ({ name, bytes: Buffer.from(bytes) });
const find = (bytes: Buffer | string) => findLeaks([SECRET], [stack(bytes)]);

const RANDOM_SECRETS = Array.from({ length: 50 }, (_, at): Secret => {
  const value = digest(`secret ${at}`).slice(0, 10 + (at % 23));
  return { kind: 'seed', name: `${at}`, value };
});

test('two thousand other digests leak nothing', () => {
  const digests = Array.from({ length: 2_000 }, (_, at) => digest(`other ${at}`).slice(0, 32));
  const stacks = [digests.join('\n'), digests.join(' '), JSON.stringify(digests), digests.join('')];
  expect(
    findLeaks(
      RANDOM_SECRETS,
      stacks.map((text) => stack(text)),
    ),
  ).toMatchObject({ leaks: [], cut: false });
});

test("this repository's sources leak nothing and are all searched", () => {
  const folder = join(import.meta.dirname, '../../../..');
  const sources = ['src', 'graders', 'fixtures'].map((part) => ({ part, stacks: filesOf(join(folder, part)) }));
  for (const { part, stacks } of sources) {
    expect(stacks.length, part).toBeGreaterThan(10);
    const search = findLeaks(RANDOM_SECRETS, stacks, { maxViews: 100_000, maxBytes: 512 * 1024 * 1024 });
    expect(search.leaks, part).toEqual([]);
    // a digest may by chance look like something packed that goes on below the last layer, so `cut` says nothing here
    expect(search.searchedBytes).toBeGreaterThanOrEqual(stacks.reduce((sum, { bytes }) => sum + bytes.length, 0));
  }
});

function filesOf(folder: string): Haystack[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ name, bytes: readFileSync(join(parentPath, name)) }));
}

test('a haystack beyond the bytes allowed is searched as far as they go', () => {
  const text = `${VALUE}${'.'.repeat(100)}`;
  const { length } = VALUE;
  expect(findLeaks([SECRET], [stack(text)], { maxBytes: length })).toMatchObject({
    cut: true,
    searchedBytes: length,
    leaks: [{}],
  });
  expect(findLeaks([SECRET], [stack(text)], { maxBytes: length - 1 })).toMatchObject({ cut: true, leaks: [] });
  expect(findLeaks([SECRET], [stack(text), stack('')], { maxBytes: 1_000 })).toMatchObject({ cut: false });
});

test('all haystacks are searched as they are before any is decoded', () => {
  const bomb = gzipSync(Buffer.alloc(3_000_000, 'x'));
  const search = findLeaks([SECRET], [stack(bomb), stack(VALUE)], { maxBytes: bomb.length + VALUE.length });
  expect(search).toMatchObject({ cut: true, leaks: [{ as: 'plain' }] });
});

test('views, depth and secrets beyond the bounds are cut, and the search says so', () => {
  const stacks = [stack(ENCODED), stack(ENCODED, 'b')];
  expect(findLeaks([SECRET], stacks, { maxViews: 1 })).toMatchObject({ cut: true, leaks: [{ haystack: 'a.txt' }] });
  expect(findLeaks([SECRET], stacks, { maxDepth: 0 })).toMatchObject({ cut: true, leaks: [] });
  expect(findLeaks([...RANDOM_SECRETS, SECRET], [stack(VALUE)], { maxSecrets: 50 })).toMatchObject({
    cut: true,
    leaks: [],
  });
  expect(findLeaks([SECRET], [stack(VALUE)], { maxSecretBytes: 20 })).toMatchObject({ cut: true, leaks: [] });
});

test('a secret at the beginning of a bomb is found, and the search says that it was cut', () => {
  const bomb = gzipSync(Buffer.concat([Buffer.from(LONGER), Buffer.alloc(2_000_000)]));
  const search = findLeaks([SECRET], [stack(bomb)], { maxMemberBytes: 100_000 });
  expect(search).toMatchObject({ cut: true, leaks: [{ as: 'gzip' }] });
});

const MEBIBYTE = 1024 * 1024;
const fill = (piece: string | Buffer, size = MEBIBYTE) => Buffer.alloc(size, piece);
const fillLong = (piece: string | Buffer) => fill(piece, 8 * MEBIBYTE);
const zeros = gzipSync(Buffer.alloc(64 * MEBIBYTE), { level: 9 });
/** A gigabyte of zeros in one member of one megabyte: blocks of full size, one after the other. */
const BOMB = Buffer.concat(Array.from({ length: 16 }, () => zeros));
const HOSTILE: readonly (readonly [string, Buffer])[] = [
  ['one letter', fillLong('A')],
  ['one digit', fill('1')],
  ['padding', fillLong('=')],
  ['halves of escapes', fillLong('\\x')],
  ['escapes', fill('\\x41')],
  ['backslashes', fill('\\')],
  ['escapes of escapes', fill('%25')],
  ['plus signs between quotes', fill('"+')],
  ['line ends', fill('\n')],
  ['small numbers', fill('7,')],
  ['letters of UTF-16', fill('a\0')],
  ['zero bytes', fill('\0')],
  ['bytes beyond ASCII', fill(Buffer.from([0xe2]))],
  ['zero-width spaces', fill('\u200b')],
  ['half-open headers of gzip', fillLong(Buffer.from([0x1f, 0x8b, 8, 0x1c]))],
  [
    'headers of gzip before stored blocks',
    fill(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0xff, 0xff])),
  ],
  ['half-open headers of zlib', fillLong(Buffer.from([0x78, 0x9c]))],
  ['headers of zlib before fixed blocks', fill(Buffer.from([0x78, 0x9c, 0x4b, 0x4c, 0x4a]))],
  ['half-open headers of zip', fill(Buffer.from('PK\x03\x04\x14\0\0\0\x08\0', 'latin1'))],
  ['a bomb', BOMB],
  ['a bomb in a bomb', gzipSync(BOMB)],
  ['a secret all over', fill(`${VALUE.toUpperCase()} `)],
];

test.each(HOSTILE)('megabytes of %s end within the bounds', (_, bytes) => {
  const secrets = [SECRET, ...RANDOM_SECRETS, { ...SECRET, name: 'periodic', value: 'abcde'.repeat(200) }];
  const { searchedBytes, leaks } = findLeaks(secrets, [stack(bytes)]);
  expect(searchedBytes).toBeGreaterThanOrEqual(bytes.length);
  expect(searchedBytes).toBeLessThanOrEqual(32 * MEBIBYTE);
  expect(leaks.length).toBeLessThanOrEqual(1);
});

test('bombs are cut', () => {
  expect(find(BOMB).cut).toBe(true);
  expect(find(gzipSync(BOMB)).cut).toBe(true);
});
