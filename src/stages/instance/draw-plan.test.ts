import { expect, test } from 'vitest';
import { drawOne, type RawParameter } from '../../../test/support/draw-one.ts';
import { MAX_DRAWN, sizeOf } from '../task/parameter-size.ts';
import { type Constraint, parameterSchema, parametersSchema } from '../task/parameters.ts';
import { type DrawPlan, drawParameters } from './generators.ts';

const PARAMETERS: Readonly<Record<string, RawParameter>> = {
  low: { type: 'integer', min: 1, max: 20 },
  high: { type: 'integer', min: 1, max: 20 },
  share: { type: 'decimal', min: 0, max: 1, places: 1 },
  rest: { type: 'decimal', min: 0, max: 1, places: 1 },
  word: { type: 'choice', of: ['a', 'b', 'c'] },
  other: { type: 'choice', of: ['a', 'b', 'c'] },
};
const planOf = (
  constraints: readonly Constraint[],
  parameters: Readonly<Record<string, RawParameter>> = PARAMETERS,
): DrawPlan => ({ parameters: parametersSchema.parse(parameters), constraints });

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
const CASES: readonly (readonly [Constraint, (values: Record<string, unknown>) => boolean])[] = [
  [{ distinct: ['word', 'other'] }, ({ word, other }) => word !== other],
  [{ ascending: ['low', 'high'] }, ({ low, high }) => Number(low) < Number(high)],
  [{ sum: ['low', 'high'], max: 12 }, ({ low, high }) => Number(low) + Number(high) <= 12],
  [{ sum: ['low', 'high'], min: 30 }, ({ low, high }) => Number(low) + Number(high) >= 30],
  [
    { sum: ['share', 'rest'], min: 0.3, max: 0.3 },
    ({ share, rest }) => Math.round(Number(share) * 10) + Math.round(Number(rest) * 10) === 3,
  ],
  [{ differs_from: { name: 'word', value: 'a' } }, ({ word }) => word !== 'a'],
  [{ coprime: ['low', 'high'] }, ({ low, high }) => gcd(Number(low), Number(high)) === 1],
];

test.each(CASES)('%j holds for every seed, and would not by chance', (constraint, isHeld) => {
  const seeds = Array.from({ length: 500 }, (_, seed) => `seed-${seed}`);
  const [held, free] = [[constraint], []].map((constraints) =>
    seeds.map((seed) => drawParameters(planOf(constraints), { seed })),
  );
  expect(held?.filter(({ values }) => !isHeld(values))).toEqual([]);
  expect(free?.filter(({ values }) => !isHeld(values)).length).toBeGreaterThan(50);
  const first = held?.filter(({ tries }) => tries === 1) ?? [];
  expect(first.length).toBe(free?.filter(({ values }) => isHeld(values)).length);
});

test('several constraints hold together', () => {
  const cases = CASES.filter(([{ sum }]) => sum === undefined);
  const plan = planOf(cases.map(([constraint]) => constraint));
  for (let seed = 0; seed < 500; seed++) {
    const { values } = drawParameters(plan, { seed: `seed-${seed}` });
    expect(cases.filter(([, isHeld]) => !isHeld(values))).toEqual([]);
  }
});

test('a constraint changes no parameter that it does not name, and none where the first draw holds', () => {
  for (let seed = 0; seed < 100; seed++) {
    const [free, held] = [[], [{ ascending: ['low', 'high'] }]].map((constraints) =>
      drawParameters(planOf(constraints), { seed: `seed-${seed}` }),
    );
    const { low: _low, high: _high, ...others } = free?.values ?? {};
    expect(held?.values).toMatchObject(others);
    if (held?.tries === 1) expect(held.values).toEqual(free?.values);
  }
});

test('a known seed has a known value after so many tries', () => {
  const drawn = drawParameters(planOf([{ sum: ['low', 'high'], min: 38 }]), { seed: 'golden' });
  // computed by another implementation, in Python
  expect(drawn).toMatchObject({ tries: 54, values: { low: 20, high: 20 } });
});

test('what is told of a planted parameter is of the draw that held', () => {
  const plan = planOf([{ distinct: ['code', 'one'] }], {
    code: { type: 'code', fragments: ['same', 'other'].map((word) => `${word} $x`) },
    one: { type: 'integer', min: 0, max: 1 },
  });
  for (let seed = 0; seed < 20; seed++) {
    const { code, code_symbols: symbols } = drawParameters(plan, { seed: `seed-${seed}` }).values;
    expect(String(code).split(' ')[1]).toBe((symbols as { name: string }[])[0]?.name);
  }
});

test('constraints that nothing satisfies end soon, with the name of the last one and how often each failed', () => {
  const plan = planOf([{ distinct: ['word', 'other'] }, { sum: ['low', 'high'], min: 41 }]);
  const start = performance.now();
  expect(() => drawParameters(plan, { seed: 'golden' })).toThrow(
    expect.objectContaining({ code: 'task-invalid', details: { constraint: 1, failures: [expect.any(Number), 200] } }),
  );
  expect(() => drawParameters(plan, { seed: 'golden' })).toThrow(
    /the last one failed sum = \["low","high"\], min = 41; .*distinct = \["word","other"\]: \d+; sum = .*: 200$/,
  );
  expect(performance.now() - start).toBeLessThan(5_000);
});

const LEVELS = { levels: ['easy', 'hard', 'very-hard'] };
const graded = (): DrawPlan => ({
  ...planOf([], {
    plain: { type: 'integer', min: 1, max: 1_000_000 },
    words: { type: 'words', count: 2, at: { hard: { count: 5 } } },
    rows: {
      ...{ type: 'table', rows: 6, columns: { n: { type: 'integer', min: 1, max: 9 } } },
      at: { hard: { anomalies: { count: 1, kinds: ['missing'] } } },
    },
  }),
  difficulty: LEVELS,
});

test('a level replaces the settings that it names and leaves all other draws as they are', () => {
  const [easy, hard] = ['easy', 'hard'].map((difficulty) => drawParameters(graded(), { seed: 'golden', difficulty }));
  expect(easy).toMatchObject({ difficulty: 'easy', values: { difficulty: 'easy' } });
  expect(hard).toMatchObject({ difficulty: 'hard', values: { difficulty: 'hard', plain: easy?.values.plain } });
  expect(easy?.values.words).toHaveLength(2);
  expect(hard?.values.words).toHaveLength(5);
  expect(hard?.values.words).toEqual(expect.arrayContaining(easy?.values.words as string[]));
  expect(easy?.values).not.toHaveProperty('rows_planted');
  expect(hard?.values.rows_planted).toHaveLength(1);
});

test('a level that is not asked for is drawn from the seed, each at times', () => {
  const drawn = Array.from({ length: 60 }, (_, seed) => drawParameters(graded(), { seed: `seed-${seed}` }));
  expect(new Set(drawn.map(({ difficulty }) => difficulty))).toEqual(new Set(LEVELS.levels));
  expect(drawn.filter(({ values, difficulty }) => values.difficulty !== difficulty)).toEqual([]);
  expect(drawParameters(graded(), { seed: 'golden' }).difficulty).toBe('hard');
});

test('an unknown level is the caller’s fault, and the answer names the levels', () => {
  const draw = (plan: DrawPlan) => () => drawParameters(plan, { seed: 'golden', difficulty: 'constructor' });
  expect(draw(graded())).toThrow(expect.objectContaining({ code: 'bad-request' }));
  expect(draw(graded())).toThrow(/"constructor"; there are: easy, hard, very-hard/);
  expect(draw(planOf([]))).toThrow(/no levels/);
  expect(drawParameters(planOf([]), { seed: 'golden' })).toMatchObject({ difficulty: null, tries: 1 });
});

const EVERY: Readonly<Record<string, RawParameter>> = {
  normal: { type: 'integers', count: 30, min: -9, max: 99, distribution: 'normal' },
  price: { type: 'decimal', min: -99.5, max: 9, places: 6 },
  person: { type: 'person' },
  prose: { type: 'prose', sentences: 9 },
  time: { type: 'datetime', from: '2024-01-01', to: '2024-12-31', zone: 'offset' },
  choice: { type: 'choice', of: ['ä"\n', 1], weights: [1, 2] },
  name: { type: 'name' },
  text: { type: 'text', words: 9 },
  words: { type: 'words', count: 9 },
  table: {
    ...{ type: 'table', rows: 40 },
    columns: {
      n: { type: 'integer', min: -9, max: 9, distribution: 'zipf' },
      d: { type: 'decimal', min: 0, max: 1, places: 3 },
      p: { type: 'person' },
      s: { type: 'prose', sentences: 2 },
      t: { type: 'datetime', from: '2024-01-01', to: '2024-12-31' },
    },
    anomalies: { count: 20, kinds: ['missing', 'duplicate-row', 'outlier', 'swapped', 'padded', 'case'] },
  },
  graph: { type: 'graph', nodes: 9, edges: 12, names: true, weights: { min: 1, max: 100 } },
  tree: { type: 'tree', folders: 9, files: 12, depth: 3, endings: ['.verylonger.abcdefghij'] },
  log: { type: 'log', lines: 40, services: 2, from: '2024-01-01', planted: { count: 20, text: '"ä"'.repeat(50) } },
  code: { type: 'code', fragments: ['$a$b$c$d$e$f$g', '$hello = 1'] },
};

test.each(Object.keys(EVERY))('adding or removing the parameter %s changes no other', (name) => {
  const { [name]: left, ...others } = EVERY;
  const { values } = drawParameters(planOf([], others), { seed: 'golden' });
  expect(left).toBeDefined();
  expect(drawParameters(planOf([], EVERY), { seed: 'golden' }).values).toMatchObject(values);
  expect(Object.keys(values).filter((one) => one.startsWith(name))).toEqual([]);
});

test.each(Object.entries(EVERY))('%s never draws more than its bound says', (_name, raw) => {
  const { cells, bytes } = sizeOf(parameterSchema.parse(raw));
  for (let seed = 0; seed < 200; seed++) {
    const values = Object.values(drawOne(raw, `seed-${seed}`));
    const drawn = values.flat().flatMap((value) => (typeof value === 'object' ? Object.values(value) : [value]));
    expect(drawn.length).toBeLessThanOrEqual(cells);
    expect(Buffer.byteLength(values.map((value) => JSON.stringify(value)).join())).toBeLessThanOrEqual(bytes + 4);
  }
  expect(cells).toBeLessThan(MAX_DRAWN.cells / 1_000);
});
