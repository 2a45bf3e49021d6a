import { expect, test } from 'vitest';
import { openWaitingFiles } from './waiting-files.ts';

const file = (path: string, size = 10) => ({ path, mode: 0o644, bytes: Buffer.alloc(size) });
const open = (diskBytes = 64 * 1024) => openWaitingFiles({ diskBytes, enabled: true });

test('files that fit are kept in order until they are taken, once', () => {
  const waiting = open();
  expect([waiting.keep(file('a')), waiting.keep(file('b/c'))]).toEqual([true, true]);
  expect(waiting.take().map(({ path }) => path)).toEqual(['a', 'b/c']);
  expect([waiting.take(), waiting.keep(file('d'))]).toEqual([[], false]);
});

test.each([
  ['the same file again', 'a/b'],
  ['a file where a folder is', 'a'],
  ['a file beneath a file', 'a/b/c'],
  ['a name that is too long', 'x'.repeat(256)],
  ['a path that is too long', 'y/'.repeat(1_100).concat('z')],
])('%s has to be written', (_, path) => {
  const waiting = open();
  waiting.keep(file('a/b'));
  expect(waiting.keep(file(path))).toBe(false);
});

test('what may not fit into the folder, in whole pages, has to be written, so that its refusal is told', () => {
  const waiting = open(5 * 4096);
  expect(waiting.keep(file('a', 1))).toBe(true);
  expect(waiting.keep(file('b', 2 * 4096))).toBe(true);
  expect(waiting.keep(file('c', 1))).toBe(false);
});

test('more than a megabyte has to be written', () => {
  const waiting = open(1024 ** 3);
  expect(waiting.keep(file('a', 1024 ** 2))).toBe(true);
  expect(waiting.keep(file('b', 1))).toBe(false);
});

test('a path that leaves the folder is refused', () => {
  expect(() => open().keep(file('../a'))).toThrow(/not a path beneath/);
});

test('where no command takes files along none are kept', () => {
  expect(openWaitingFiles({ diskBytes: 4096, enabled: false }).keep(file('a'))).toBe(false);
});
