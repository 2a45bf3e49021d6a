import { expect, test } from 'vitest';
import type { ParameterSpec } from '../task/parameters.ts';
import { drawParameters } from './generators.ts';
import { WORDS } from './word-list.ts';

const SPECS = {
  limit: { type: 'integer', min: 10, max: 100 },
  colour: { type: 'choice', of: ['red', 'green', 7] },
  function_name: { type: 'name', style: 'snake' },
  text: { type: 'text', words: 5 },
  stops: { type: 'words', count: 4 },
  weights: { type: 'integers', count: 6, min: -5, max: 5 },
  orders: {
    type: 'table',
    rows: 3,
    columns: { amount: { type: 'integer', min: 1, max: 100 }, who: { type: 'name', style: 'pascal' } },
  },
} as const satisfies Record<string, ParameterSpec>;

const drawn = (parameters: Record<string, ParameterSpec>, seed: string) =>
  drawParameters({ parameters, constraints: [] }, { seed }).values;

/** The one parameter of a specification, for each of so many seeds. */
const drawMany = (spec: ParameterSpec, seeds: number) =>
  Array.from({ length: seeds }, (_, seed) => drawn({ value: spec }, `seed-${seed}`).value);

test('every kind of parameter has a known value for a known seed', () => {
  expect(drawn(SPECS, 'golden')).toEqual({
    limit: 22,
    colour: 7,
    function_name: 'horizon_monkey',
    text: 'parrot guitar cargo ferry marble',
    stops: ['copper', 'teapot', 'frame', 'topaz'],
    weights: [-5, 2, 1, -3, -2, -2],
    orders: [
      { amount: 39, who: 'IronBadge' },
      { amount: 21, who: 'ModestFinch' },
      { amount: 10, who: 'PebbleSailor' },
    ],
  });
});

test('adding or removing a parameter changes no other', () => {
  const { colour, ...others } = drawn(SPECS, 'golden');
  const { colour: _left, ...fewer } = SPECS;
  expect(drawn(fewer, 'golden')).toEqual(others);
  expect(drawn({ added: { type: 'text', words: 50 }, ...SPECS }, 'golden')).toMatchObject({
    colour,
    ...others,
  });
});

test('adding a row or a column to a table changes no other cell', () => {
  const { columns } = SPECS.orders;
  const wider = { type: 'table', rows: 4, columns: { first: { type: 'text', words: 3 }, ...columns } } as const;
  const rows = drawn({ orders: wider }, 'golden').orders as Record<string, unknown>[];
  expect(rows).toHaveLength(4);
  expect(rows.slice(0, 3).map(({ amount, who }) => ({ amount, who }))).toEqual(drawn(SPECS, 'golden').orders);
});

test('an integer takes every value of its range, both ends included, and none outside it', () => {
  const drawn = drawMany({ type: 'integer', min: -2, max: 2 }, 300) as number[];
  expect([...new Set(drawn)].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2]);
  for (const value of [-2, -1, 0, 1, 2]) {
    const count = drawn.filter((one) => one === value).length;
    expect(count, `how often ${value}`).toBeGreaterThan(35); // 60 is even; fixed seeds, so this never flickers
    expect(count, `how often ${value}`).toBeLessThan(85);
  }
});

test('a range of one value gives it, and the widest range stays exact', () => {
  expect(new Set(drawMany({ type: 'integer', min: 7, max: 7 }, 20))).toEqual(new Set([7]));
  const { MAX_SAFE_INTEGER: max } = Number;
  const wide = drawMany({ type: 'integer', min: -max, max: 0 }, 200) as number[];
  expect(wide.filter((value) => !Number.isSafeInteger(value) || value > 0 || value < -max)).toEqual([]);
  expect(new Set(wide).size).toBe(200);
});

test('a choice gives each of its values with its own type', () => {
  const drawn = drawMany({ type: 'choice', of: ['1', 1, 'two'] }, 100);
  expect(new Set(drawn)).toEqual(new Set(['1', 1, 'two']));
});

test.each([
  ['snake', /^[a-z]+_[a-z]+$/],
  ['kebab', /^[a-z]+-[a-z]+$/],
  ['camel', /^[a-z]+[A-Z][a-z]+$/],
  ['pascal', /^[A-Z][a-z]+[A-Z][a-z]+$/],
] as const)('a name in %s style is two different words of the list', (style, pattern) => {
  for (const name of drawMany({ type: 'name', style }, 100) as string[]) {
    expect(name).toMatch(pattern);
    const words = name.split(/[_-]|(?=[A-Z])/).map((word) => word.toLowerCase());
    expect(words.filter((word) => WORDS.includes(word))).toHaveLength(2);
    expect(new Set(words).size).toBe(2);
  }
});

test('words are distinct, even when half of all words are asked for', () => {
  for (const words of drawMany({ type: 'words', count: 200 }, 5) as string[][]) {
    expect(words).toHaveLength(200);
    expect(new Set(words).size).toBe(200);
    expect(words.filter((word) => !WORDS.includes(word))).toEqual([]);
  }
});

test('a text has so many words with single spaces, and may repeat them', () => {
  const [text] = drawMany({ type: 'text', words: 2_000 }, 1) as [string];
  const words = text.split(' ');
  expect(words).toHaveLength(2_000);
  expect(words.filter((word) => !WORDS.includes(word))).toEqual([]);
  expect(new Set(words).size).toBeLessThan(2_000);
});

test('integers are as many as asked, within their range', () => {
  const [numbers] = drawMany({ type: 'integers', count: 1_000, min: 0, max: 9 }, 1) as [number[]];
  expect(numbers).toHaveLength(1_000);
  expect([...new Set(numbers)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('no word stands in the list twice, and each is four to eight plain letters', () => {
  expect(new Set(WORDS).size).toBe(WORDS.length);
  expect(WORDS.filter((word) => !/^[a-z]{4,8}$/.test(word))).toEqual([]);
});
