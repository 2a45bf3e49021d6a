import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

test('keys are sorted at every depth and no white space is written', () => {
  expect(canonicalJson({ b: [1, { d: null, c: true }], a: 'x' })).toBe('{"a":"x","b":[1,{"c":true,"d":null}]}');
});

test('the order in which keys were set does not show', () => {
  expect(canonicalJson({ one: 1, two: 2 })).toBe(canonicalJson({ two: 2, one: 1 }));
});

test('keys sort by UTF-16 units as RFC 8785 wants, not by code points', () => {
  // U+1F600 begins with the unit D83D, which sorts before FB33
  expect(canonicalJson({ '\ufb33': 1, '\u{1f600}': 2, ö: 3, '1': 4 })).toBe('{"1":4,"ö":3,"\u{1f600}":2,"\ufb33":1}');
});

test('numbers are written as ECMAScript does, minus zero as zero', () => {
  expect(canonicalJson([1e21, 0.000001, 1e-7, -0, 1 / 3, 4.5])).toBe('[1e+21,0.000001,1e-7,0,0.3333333333333333,4.5]');
});

test('texts keep their letters and escape what JSON must', () => {
  expect(canonicalJson('é"\\\n\u0007\ud800')).toBe('"é\\"\\\\\\n\\u0007\\ud800"');
});

test('a field that is undefined is left out, an own field named __proto__ is not', () => {
  expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
  expect(canonicalJson(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}');
});

test('an object without a prototype is plain', () => {
  expect(canonicalJson(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
});

test.each([
  ['NaN', Number.NaN],
  ['an infinity', Number.NEGATIVE_INFINITY],
  ['a function', () => 1],
  ['a big integer', 1n],
  ['undefined inside a list', [undefined]],
  ['undefined alone', undefined],
  ['a symbol', Symbol('s')],
  ['a date', new Date(0)],
  ['a map', new Map([['a', 1]])],
  ['bytes', Buffer.from('a')],
])('%s is refused wherever it stands', (_name, value) => {
  expect(() => canonicalJson({ deep: [value] })).toThrow(TypeError);
});

test('a cycle is refused instead of exhausting the stack', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  expect(() => canonicalJson(cycle)).toThrow(/deeper than 200/);
});

test('200 levels are written and 201 are not', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  expect(canonicalJson(nested(200))).toBe(`${'['.repeat(200)}1${']'.repeat(200)}`);
  expect(() => canonicalJson(nested(201))).toThrow(TypeError);
});

test('a hole in a list is no value', () => {
  // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
  expect(() => canonicalJson([, 1])).toThrow(/undefined is not a JSON value/);
});
