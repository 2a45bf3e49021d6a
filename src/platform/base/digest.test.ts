import { expect, test } from 'vitest';
import { DIGEST_PATTERN, digestOf, digestOfJson } from './digest.ts';

test('the digest of bytes is their SHA-256 as published for "abc"', () => {
  expect(digestOf('abc')).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('a text counts as its UTF-8 bytes', () => {
  expect(digestOf('é')).toBe(digestOf(Buffer.from([0xc3, 0xa9])));
});

test('a JSON value is digested through its canonical form', () => {
  expect(digestOfJson({ b: 1, a: [true] })).toBe(digestOf('{"a":[true],"b":1}'));
});

test('what JSON cannot carry has no digest', () => {
  expect(() => digestOfJson({ score: Number.NaN })).toThrow(TypeError);
});

test('the pattern takes digests and nothing around them', () => {
  const digest = digestOf('');
  expect(DIGEST_PATTERN.test(digest)).toBe(true);
  for (const wrong of [
    digest.toUpperCase(),
    `${digest}0`,
    digest.slice(0, -1),
    ` ${digest}`,
    `${digest}\n`,
    'sha256:',
  ]) {
    expect(DIGEST_PATTERN.test(wrong), JSON.stringify(wrong)).toBe(false);
  }
});
