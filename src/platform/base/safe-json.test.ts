import { expect, test } from 'vitest';
import { parseHostileJson } from './safe-json.ts';

const BOUNDS = { maxBytes: 100_000, maxDepth: 10, maxNodes: 1_000 };
const parse = (text: string) => parseHostileJson(text, BOUNDS);

test('ordinary JSON is parsed', () => {
  expect(parse('{"a":[1,-2.5,"x",null,true],"b":{}}')).toEqual({ a: [1, -2.5, 'x', null, true], b: {} });
});

test('a text is measured in bytes, not in letters', () => {
  const text = JSON.stringify('é'.repeat(10));
  expect(parseHostileJson(text, { maxBytes: 22, maxDepth: 1, maxNodes: 1 })).toBe('é'.repeat(10));
  expect(() => parseHostileJson(text, { maxBytes: 21, maxDepth: 1, maxNodes: 1 })).toThrow(
    expect.objectContaining({ code: 'too-large', message: 'JSON text is larger than 21 bytes' }),
  );
});

test('the deepest allowed nesting passes and one level more does not', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  expect(JSON.stringify(parse(nested(10)))).toBe(nested(10));
  expect(() => parse(nested(11))).toThrow(
    expect.objectContaining({ code: 'bad-request', message: 'JSON is nested deeper than 10 levels' }),
  );
});

test('lists beside each other count once, however many there are', () => {
  const beside = `[${Array.from({ length: 50 }, () => '[{}]').join(',')}]`;
  expect(parse(beside)).toHaveLength(50);
});

test('objects count as levels like lists do', () => {
  expect(() => parse(`${'{"a":'.repeat(11)}1${'}'.repeat(11)}`)).toThrow(/nested deeper/);
});

test('more values than are allowed are refused before they are made', () => {
  const list = (count: number) => `[${'0,'.repeat(count - 1)}0]`;
  expect(parse(list(1_000))).toHaveLength(1_000);
  expect(() => parse(list(1_001))).toThrow(expect.objectContaining({ code: 'too-large' }));
});

test('a hundred thousand brackets are refused without recursion', () => {
  expect(() => parse('['.repeat(100_000))).toThrow(/nested deeper/);
});

test('brackets inside texts do not count, whatever is escaped there', () => {
  const text = `${'['.repeat(50)}"\\${'{'.repeat(50)}`;
  expect(parse(JSON.stringify([text]))).toEqual([text]);
});

test('brackets after a text that ends in an escaped backslash do count', () => {
  expect(() => parse(`["\\\\",${'['.repeat(20)}`)).toThrow(/nested deeper/);
});

test.each(['', '{', '"open', '{"a":1}x', "{'a':1}", '[1,]', 'NaN', '\u00a01'])('%j is no JSON', (text) => {
  expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'bad-request' }));
  expect(() => parse(text)).toThrow(/^not JSON: /);
});

test.each(['{"__proto__":{"admin":true}}', '[{"a":{"__proto__":1}}]', '{"\\u005f_proto__":null}'])(
  'the key __proto__ is refused in %s',
  (text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'bad-request' }));
    expect(() => parse(text)).toThrow(/"__proto__" is not allowed/);
  },
);

test('a constructor with a prototype is refused, a harmless one is not', () => {
  expect(() => parse('{"constructor":{"prototype":{"admin":true}}}')).toThrow(/"constructor"/);
  expect(parse('{"constructor":"Bob","prototype":1}')).toEqual({ constructor: 'Bob', prototype: 1 });
});

test.each(['1e400', '{"a":[-1e999]}'])('the number in %s that overflows is refused', (text) => {
  expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'bad-request' }));
  expect(() => parse(text)).toThrow(/not finite/);
});
