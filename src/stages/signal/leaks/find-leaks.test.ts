import { createHash } from 'node:crypto';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { findLeaks } from './find-leaks.ts';
import type { Haystack, Secret } from './leak.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const VALUE = 'Qx7-harbour_Lantern.4192';
const SECRET: Secret = { kind: 'seed', name: 'seed', value: VALUE };
const stack = (bytes: Buffer | string, name = 'a.txt'): Haystack => ({ name, bytes: Buffer.from(bytes) });
const find = (bytes: Buffer | string) => findLeaks([SECRET], [stack(bytes)]);

const reversed = (text: string) => [...text].reverse().join('');
const rot13 = (text: string) =>
  text.replace(/[a-z]/gi, (letter) => {
    const from = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - from + 13) % 26) + from);
  });
const bytesOf = (text: string) => [...Buffer.from(text)];
const hex = (bytes: Buffer | string) => Buffer.from(bytes).toString('hex');
const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64');
const hexPairs = (bytes: Buffer | string, before: string, between = '') =>
  [...Buffer.from(bytes)].map((byte) => before + byte.toString(16).padStart(2, '0')).join(between);
const base32 = (text: string) => {
  const bits = bytesOf(text)
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
};
const lines = (text: string, length: number, end: string) =>
  (text.match(new RegExp(`.{1,${length}}`, 'g')) ?? []).join(end);
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const zipped = (bytes: Buffer | string, name = 'in.txt') => {
  const packed = deflateRawSync(bytes);
  const header = Buffer.alloc(30);
  header.write('PK\x03\x04', 'latin1');
  header.writeUInt16LE(8, 8);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name), packed]);
};
const LONGER = `the answer is ${VALUE}, and it is followed by more text`;

/** Name, bytes, the way, the line. */
const DISGUISES: readonly (readonly [string, Buffer | string, string, number])[] = [
  ['as it is', `a\nb ${VALUE} c\n`, 'plain', 2],
  ['in other case', `\n\n${VALUE.toUpperCase()}`, 'normalised', 3],
  ['with spaces between letters', [...VALUE].join(' '), 'normalised', 1],
  ['over several lines', `x\n${lines(VALUE, 5, '\n')}`, 'normalised', 2],
  ['as joined literals', `s = "${VALUE.slice(0, 9)}" + "${VALUE.slice(9)}"`, 'normalised', 1],
  [
    'as literals joined with a dot and a backslash',
    `'${VALUE.slice(0, 9)}' . \\\n '${VALUE.slice(9)}'`,
    'normalised',
    1,
  ],
  ['with zero-width spaces', [...VALUE].join('\u200b'), 'normalised', 1],
  ['with tags and no-break spaces', [...VALUE].join('\u{e0041}\u00a0'), 'normalised', 1],
  ['with other separators', VALUE.replaceAll('-', '_').replaceAll('.', '-'), 'normalised', 1],
  ['reversed', `\n${reversed(VALUE)}`, 'reversed', 2],
  ['in rot13', rot13(VALUE), 'rot13', 1],
  ['in UTF-16 with the low byte first', utf16(LONGER), 'utf-16', 1],
  ['in UTF-16 with the high byte first', utf16(`two\n${VALUE}`).swap16(), 'utf-16', 2],
  ['in UTF-16 with a mark', utf16(`\ufeff${'две строки '.repeat(9)}\n${VALUE}\n\n\n\n`), 'utf-16', 2],
  [
    'in UTF-16 between other bytes',
    Buffer.concat([Buffer.from([9, 8, 7]), utf16(VALUE), Buffer.from('end')]),
    'utf-16',
    1,
  ],
  ['in base64', `x\ny = "${base64(LONGER)}"`, 'base64', 2],
  ['in the shortest base64', base64(VALUE), 'base64', 1],
  [
    'in base64 for addresses',
    `https://a.example/?q=${Buffer.from(`~~>>??${VALUE}`).toString('base64url')}`,
    'base64',
    1,
  ],
  ['in base64 behind a path', `https://a.example/ab/${base64(VALUE)}`, 'base64', 1],
  ['in base64 as in MIME', `body:\r\n${lines(base64(LONGER.repeat(3)), 76, '\r\n')}\r\n`, 'base64', 2],
  ['in base64 as in PEM', `-----BEGIN X-----\n${lines(base64(LONGER), 64, '\n')}\n-----END X-----`, 'base64', 2],
  ['in base64 with lines of a few letters', lines(base64(LONGER), 7, '\n'), 'base64', 3],
  ['in base64 as literals of several lines', `x = (\n "${lines(base64(LONGER), 20, '"\n "')}")`, 'base64', 2],
  ['in base64 as joined literals', `x = "${lines(base64(LONGER), 12, '" + "')}"`, 'base64', 1],
  ['in base64 with written line ends', `{"key": "${lines(base64(LONGER), 16, '\\n')}"}`, 'base64', 1],
  ['in base32', `\n${base32(VALUE)}`, 'base32', 2],
  ['in hex', `\n\nid=${hex(VALUE)}`, 'hex', 3],
  ['in hex with capitals', hex(VALUE).toUpperCase(), 'hex', 1],
  ['in hex behind an odd digit', `a${hex(VALUE)}`, 'hex', 1],
  ['in hex by pairs', hexPairs(VALUE, '', ' '), 'hex', 1],
  ['in hex by pairs with colons', hexPairs(VALUE, '', ':'), 'hex', 1],
  ['as escapes of bytes', `\nx = '${hexPairs(VALUE, '\\x')}'`, 'escaped', 2],
  ['as escapes of bytes in a text in a text', hexPairs(VALUE, '\\\\x'), 'escaped', 1],
  [
    'as escapes after lines full of backslashes',
    `${'\\\\\n'.repeat(40)}${hexPairs(VALUE, '\\x')}${'\n'.repeat(90)}`,
    'escaped',
    41,
  ],
  ['as escapes here and there', VALUE.replace('h', '\\u0068').replace('L', '\\x4c'), 'escaped', 1],
  ['as escapes of an address', `${hexPairs(VALUE, '%')}&b`, 'escaped', 1],
  ['as a list of hexadecimal bytes', `[${hexPairs(VALUE, '0x', ', ')}]`, 'byte-list', 1],
  ['as a list of decimal bytes', `x\n[${bytesOf(VALUE).join(', ')}]`, 'byte-list', 2],
  ['as decimal bytes line by line', bytesOf(VALUE).join('\n'), 'byte-list', 1],
  [
    'as calls for single characters',
    bytesOf(VALUE)
      .map((byte) => `chr(${byte})`)
      .join(' + '),
    'byte-list',
    1,
  ],
  ['in gzip', gzipSync(LONGER), 'gzip', 0],
  ['in gzip between other bytes', Buffer.concat([Buffer.from('a\nb'), gzipSync(LONGER), Buffer.from('c')]), 'gzip', 0],
  [
    'in gzip that breaks off',
    gzipSync(LONGER + digest('a') + digest('b') + digest('c') + digest('d')).subarray(0, -150),
    'gzip',
    0,
  ],
  ['in gzip with a wrong checksum', Buffer.concat([gzipSync(LONGER).subarray(0, -8), Buffer.alloc(8)]), 'gzip', 0],
  ['in zlib', deflateSync(LONGER), 'zlib', 0],
  ['in zlib with a small window', deflateSync(LONGER, { windowBits: 9 }), 'deflate', 0],
  ['in zlib between other bytes', Buffer.concat([Buffer.from('x^xx'), deflateSync(LONGER)]), 'zlib', 0],
  ['in deflate without a header', deflateRawSync(LONGER), 'deflate', 0],
  ['in the second entry of a zip archive', Buffer.concat([zipped('nothing'), zipped(LONGER)]), 'zip', 0],
];

test.each(DISGUISES)('a secret %s is found', (_, bytes, ...[way, line]) => {
  expect(find(bytes)).toMatchObject({ leaks: [{ secret: SECRET, haystack: 'a.txt', line, as: way }], cut: false });
});

const COMBINED: readonly (readonly [string, Buffer | string, string, number])[] = [
  ['reversed in base64', base64(reversed(LONGER)), 'base64 > reversed', 1],
  ['spelt apart in gzip', gzipSync([...VALUE].join(' ')), 'gzip > normalised', 0],
  ['rot13 in hex in base64', `\n${base64(hex(rot13(VALUE)))}`, 'base64 > hex > rot13', 2],
  ['gzip in base64', `x = 1\n${lines(base64(gzipSync(LONGER)), 76, '\n')}`, 'base64 > gzip', 0],
  ['deflate in base64', base64(deflateRawSync(LONGER)), 'base64 > deflate', 0],
  ['UTF-16 in base64, as shells take it', `sh -enc ${base64(utf16(LONGER))}`, 'base64 > utf-16', 1],
  ['zlib in escapes', hexPairs(deflateSync(LONGER), '\\x'), 'escaped > zlib', 0],
  ['gzip as a list of bytes', `[${[...gzipSync(LONGER)].join(',')}]`, 'byte-list > gzip', 0],
  ['base64 thrice', base64(base64(base64(VALUE))), 'base64 > base64 > base64', 1],
  ['gzip thrice', gzipSync(gzipSync(gzipSync(VALUE))), 'gzip > gzip > gzip', 0],
  ['base64 of gzip of hex', base64(gzipSync(hex(VALUE))), 'base64 > gzip > hex', 0],
  ['zip of base64 of zlib', zipped(base64(deflateSync(LONGER))), 'zip > base64 > zlib', 0],
  [
    'escapes of base64 of gzip, reversed',
    hexPairs(base64(gzipSync(reversed(VALUE))), '%'),
    'escaped > base64 > gzip > reversed',
    0,
  ],
];

test.each(COMBINED)('%s is found', (_, bytes, ...[way, line]) => {
  expect(find(bytes).leaks).toMatchObject([{ line, as: way }]);
});

test.each([
  ['gzip', gzipSync(gzipSync(gzipSync(gzipSync(VALUE))))],
  ['base64', base64(base64(base64(base64(VALUE))))],
])('four layers of %s are not searched, and the search says that it was cut', (_, bytes) => {
  expect(find(bytes)).toMatchObject({ leaks: [], cut: true });
});

test('the plainest way wins, once for each secret and haystack', () => {
  const other: Secret = { kind: 'decoy', name: 'token', value: 'zq81-never-used-token' };
  const all = `${base64(VALUE)} ${reversed(VALUE)} ${VALUE.toUpperCase()}\n${VALUE}\n${VALUE}`;
  const { leaks } = findLeaks(
    [SECRET, other],
    [stack('nothing'), stack(all, 'b'), stack(`${hex(VALUE)} ${other.value}`, 'c')],
  );
  expect(leaks.map(({ secret, haystack, as, line }) => [secret.name, haystack, as, line])).toEqual([
    ['seed', 'b', 'plain', 2],
    ['seed', 'c', 'hex', 1],
    ['token', 'c', 'plain', 1],
  ]);
});

test('secrets that share their beginnings, ends and middles are all found', () => {
  const values = ['abcdefghijklmnop', 'cdefghijklmn', 'defghijklmno', 'abcdefghijkl', 'efghijklmnop'];
  const secrets = values.map((value): Secret => ({ kind: 'hidden-value', name: value, value }));
  const { leaks } = findLeaks(secrets, [stack('xxabcdefghijklmnopxx')]);
  expect(leaks.map(({ secret, as }) => [secret.value, as])).toEqual(values.map((value) => [value, 'plain']));
});

test('a value beyond ASCII is found as it is and reversed', () => {
  const secret: Secret = { kind: 'hidden-value', name: 'v', value: 'Größe–schließt 😀 früh' };
  const as = (text: string) => findLeaks([secret], [stack(text)]).leaks.map((leak) => leak.as);
  expect(as(`x ${secret.value}`)).toEqual(['plain']);
  expect(as(reversed(secret.value))).toEqual(['reversed']);
  expect(as(secret.value.replaceAll(' ', '\n'))).toEqual(['normalised']);
});

test.each(['short', 'abc-def-ghi', 'aaaaaaaaaaaaaaaa', 'abababcdcdcdabcd', ' . - + _ " , '])(
  '%j says too little to be looked for',
  (value) => {
    expect(findLeaks([{ ...SECRET, value }], [stack(`x ${value} x`)])).toEqual({
      leaks: [],
      cut: false,
      searchedBytes: 0,
    });
  },
);

test('ten characters of five kinds are looked for', () => {
  expect(findLeaks([{ ...SECRET, value: 'abcdeabcde' }], [stack('-abcdeabcde-')]).leaks).toHaveLength(1);
});

test('the same input gives the same answer, and is left as it was', () => {
  const stacks = DISGUISES.map(([name, bytes]) => stack(bytes, name));
  const before = stacks.map(({ bytes }) => digest(bytes.toString('hex')));
  const first = findLeaks([SECRET], stacks, { maxBytes: 9_000 });
  expect(findLeaks([SECRET], stacks, { maxBytes: 9_000 })).toEqual(first);
  expect(stacks.map(({ bytes }) => digest(bytes.toString('hex')))).toEqual(before);
});
