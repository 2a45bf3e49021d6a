import { expect, test } from 'vitest';
import { TailBuffer } from './tail-buffer.ts';

const tailOf = (maxBytes: number, chunks: readonly string[]) => {
  const tail = new TailBuffer(maxBytes);
  for (const chunk of chunks) tail.add(Buffer.from(chunk));
  return tail.bytes().toString();
};

test('what fits is kept whole', () => {
  expect(tailOf(10, ['hello', 'world'])).toBe('helloworld');
  expect(tailOf(10, [])).toBe('');
});

test('of more, the last bytes are kept', () => {
  expect(tailOf(10, ['first ', 'hello', 'world'])).toBe('helloworld');
  expect(tailOf(4, ['a longer chunk than is kept'])).toBe('kept');
});

test('the tail is the same however the stream was cut', () => {
  const text = Array.from({ length: 200 }, (_, index) => String(index)).join(',');
  for (const size of [1, 2, 3, 7, 64, 1_000]) {
    const chunks = text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
    expect(tailOf(33, chunks), `chunks of ${size}`).toBe(text.slice(-33));
  }
});

test('reading does not empty it, and empty chunks change nothing', () => {
  const tail = new TailBuffer(3);
  tail.add(Buffer.from('abc'));
  tail.add(Buffer.alloc(0));
  expect(tail.bytes().toString()).toBe('abc');
  tail.add(Buffer.from('d'));
  expect(tail.bytes().toString()).toBe('bcd');
});

test('a tail of no bytes keeps none', () => {
  expect(tailOf(0, ['abc', 'd'])).toBe('');
});
