import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drawnNames } from './check-parameters.ts';
import { parseDefinition } from './parse-definition.ts';

const SOUND = `[proctor]
grader = "stdio"
[proctor.stdio]
command = ["true"]
`;
const LEVELS = '[proctor.difficulty]\nlevels = ["easy", "hard"]\n';
const parameter = (name: string, lines: string) => `[proctor.parameters.${name}]\n${lines}\n`;
const number = (name: string, more = '') => parameter(name, `type = "integer"\nmin = 1\nmax = 9\n${more}`);
const word = (name: string) => parameter(name, 'type = "choice"\nof = ["a", 1]');
const constraint = (lines: string) => `[[proctor.constraints]]\n${lines}\n`;

const faultsOf = (...parts: readonly string[]) =>
  parseDefinition([SOUND, ...parts].join('')).problems.map(({ field, message }) => [field, message] as const);

const columns = (cell: string) => `[proctor.parameters.x.columns.c]\n${cell}\n`;

const AT_FAULTS: readonly (readonly [at: string, field: string, message: string])[] = [
  ['{ hard = { min = 10 } }', 'at.hard.min', 'min is greater than max'],
  ['{ hard = { max = "9" } }', 'at.hard.max', 'expected number'],
  ['{ hard = { lines = 10 } }', 'at.hard', 'is not a field that Proctor knows: lines'],
  ['{ hard = { type = "name" } }', 'at.hard.type', 'cannot be another at a level'],
  ['{ hard = { late = true } }', 'at.hard.late', 'cannot be another at a level'],
  ['{ hardest = { min = 2 } }', 'at.hardest', 'there are: easy, hard'],
];

test.each(AT_FAULTS)('settings at a level that are %s are a fault at %s', (at, field, message) => {
  expect(faultsOf(LEVELS, number('x', `at = ${at}`))).toEqual([
    [`proctor.parameters.x.${field}`, expect.stringContaining(message)],
  ]);
});

test('settings at a level need levels', () => {
  expect(faultsOf(number('x', 'at = { hard = { min = 2 } }'))).toEqual([
    ['proctor.parameters.x.at.hard', 'is no level of [proctor.difficulty]; there are: none'],
  ]);
});

test.each([
  ['levels = []', 'proctor.difficulty.levels'],
  ['levels = ["a", "a"]', 'proctor.difficulty.levels'],
  ['levels = ["Very Hard"]', 'proctor.difficulty.levels.0'],
  [`levels = ${JSON.stringify(Array.from({ length: 10 }, (_, n) => `l${n}`))}`, 'proctor.difficulty.levels'],
])('the difficulty %s is refused', (levels, field) => {
  expect(faultsOf(`[proctor.difficulty]\n${levels}\n`).map(([path]) => path)).toEqual([field]);
});

const LOG = 'type = "log"\nlines = 9\nservices = 1\nfrom = "2024-01-01"\n';
const PLANTED = 'planted = { count = 1, text = "x" }';

test.each([
  [`${parameter('l', `${LOG}${PLANTED}`)}${number('l_planted')}`, 'l_planted', '"l"'],
  [`${parameter('c', 'type = "code"\nfragments = ["$x"]')}${number('c_symbols')}`, 'c_symbols', '"c"'],
  [`${LEVELS}${parameter('l', `${LOG}at = { hard = { ${PLANTED} } }`)}${number('l_planted')}`, 'l_planted', '"l"'],
  [`${LEVELS}${number('difficulty')}`, 'difficulty', 'the level of [proctor.difficulty]'],
])('a name that is drawn besides is refused: %j', (lines, name, message) => {
  expect(faultsOf(lines)).toEqual([[`proctor.parameters.${name}`, expect.stringContaining(message)]]);
});

test('the same names are free where nothing is drawn besides', () => {
  expect(faultsOf(parameter('l', LOG), number('l_planted'), number('difficulty'))).toEqual([]);
});

const CONSTRAINTS: readonly (readonly [lines: string, field: string, message: string])[] = [
  ['', '', 'exactly one of distinct, ascending, sum, differs_from, coprime'],
  ['distinct = ["a", "b"]\ncoprime = ["a", "b"]', '', 'exactly one of'],
  ['distinct = ["a"]', '.distinct', '>=2'],
  ['distinct = ["a", "a"]', '.distinct', 'names a parameter twice'],
  ['distinct = ["a", "b"]\nmin = 2', '', 'belong to a sum'],
  ['sum = ["a", "b"]', '.sum', 'needs one of them'],
  ['sum = ["a", "b"]\nmin = 2\nmax = 1', '.min', 'greater than max'],
  ['sum = ["a", "b"]\nmin = 0.0000001', '.min', 'at most 6 places'],
  ['distinct = ["a", "constructor"]', '.distinct.1', '"constructor" is not in [proctor.parameters]; there are: a, b'],
  ['distinct = ["a", "later"]', '.distinct.1', '"later" is late'],
  ['ascending = ["a", "word"]', '.ascending.1', '"word" is not a number'],
  ['sum = ["word", "a"]\nmax = 1', '.sum.0', '"word" is not a number'],
  ['coprime = ["a", "part"]', '.coprime.1', '"part" is not a whole number'],
  ['differs_from = { name = "list", value = 1 }', '.differs_from.name', '"list" is not a single value'],
  ['differs_from = { name = "a" }', '.differs_from.value', 'Invalid input'],
];
const NAMED = [
  ...[number('a'), number('b'), word('word'), number('later', 'late = true')],
  parameter('part', 'type = "decimal"\nmin = 0\nmax = 1\nplaces = 1'),
  parameter('list', 'type = "words"\ncount = 2'),
];

test.each(CONSTRAINTS)('the constraint %j has one fault, at constraints.0%s', (lines, field, message) => {
  expect(faultsOf(...NAMED, constraint(lines))).toEqual([
    [`proctor.constraints.0${field}`, expect.stringContaining(message)],
  ]);
});

test('a parameter that is a number at one level only cannot be asked to be one', () => {
  const mixed = parameter('x', 'type = "choice"\nof = [1, 2]\nat = { hard = { of = ["a"] } }');
  expect(faultsOf(LEVELS, mixed, number('a'), constraint('ascending = ["a", "x"]'))).toEqual([
    ['proctor.constraints.0.ascending.1', '"x" is not a number'],
  ]);
});

test('sound constraints of every kind are kept', () => {
  const lines = [
    ...['distinct = ["word", "list"]', 'ascending = ["a", "part"]', 'sum = ["a", "b", "part"]\nmin = 1.5'],
    ...['differs_from = { name = "word", value = "a" }', 'coprime = ["a", "b"]'],
  ];
  const { definition, problems } = parseDefinition([SOUND, ...NAMED, ...lines.map(constraint)].join(''));
  expect(problems).toEqual([]);
  expect(definition?.proctor.constraints).toHaveLength(5);
});

const wide = (rows: number, cells: number) =>
  parameter('x', `type = "table"\nrows = ${rows}`).concat(
    ...Array.from(
      { length: cells },
      (_, n) => `[proctor.parameters.x.columns.c${n}]\ntype = "integer"\nmin = 1\nmax = 9\n`,
    ),
  );

test.each([
  ['too many values', wide(100_000, 11), 'could draw 1100000 and'],
  [
    'too many bytes',
    parameter('x', 'type = "table"\nrows = 2_000').concat(columns('type = "text"\nwords = 1_000')),
    'could draw 2000 and',
  ],
  [
    'too much at a level',
    LEVELS.concat(
      parameter('x', 'type = "table"\nrows = 9\nat = { hard = { rows = 100_000 } }'),
      columns('type = "prose"\nsentences = 5'),
    ),
    'at the level "hard"',
  ],
])('%s are refused', (_what, lines, message) => {
  expect(faultsOf(lines)).toEqual([['proctor.parameters', expect.stringContaining(message)]]);
});

test('a task may draw up to its limits', () => {
  expect(faultsOf(wide(100_000, 10))).toEqual([]);
});

test('what constraints name is drawn again, so it may draw less', () => {
  const lines = [parameter('list', 'type = "integers"\ncount = 5_000\nmin = 1\nmax = 9'), number('a')];
  expect(faultsOf(...lines)).toEqual([]);
  expect(faultsOf(...lines, constraint('distinct = ["list", "a"]'))).toEqual([
    ['proctor.constraints', expect.stringContaining('could draw 5001 and')],
  ]);
});

test('a fault of a parameter does not hide those of a table elsewhere, nor break what compares the two', () => {
  const lines = number('x', 'at = { hard = { min = 10 } }').concat(
    '[proctor.function]\nmodule = "1"\nfunction = "f"\n',
  );
  expect(faultsOf(lines).map(([field]) => field)).toEqual([
    'proctor.parameters.x.at.hard.min',
    'proctor.function.module',
  ]);
});

test('a template may use what there is at every level', () => {
  const source = [
    ...[SOUND, LEVELS, number('a'), parameter('c', 'type = "code"\nfragments = ["$x"]')],
    ...[parameter('l', `${LOG}at = { hard = { ${PLANTED} } }`), parameter('m', `${LOG}${PLANTED}`)],
  ];
  const { definition } = parseDefinition(source.join(''));
  expect(definition === null ? null : drawnNames(definition.proctor)).toEqual([
    ...['a', 'c', 'l', 'm', 'c_symbols', 'm_planted', 'difficulty'],
  ]);
});

test('the example of the documentation is sound', async () => {
  const page = await readFile(new URL('../../../docs/task-format.md', import.meta.url), 'utf8');
  const example = [...page.matchAll(/```toml\n([^`]*)```/g)].find(([, toml = '']) =>
    toml.includes('[proctor.difficulty]'),
  );
  const { definition, problems } = parseDefinition(`${SOUND}${example?.[1]}`);
  expect(problems).toEqual([]);
  expect(definition === null ? [] : drawnNames(definition.proctor)).toEqual([
    ...['low', 'high', 'orders', 'orders_planted', 'difficulty'],
  ]);
  expect(definition?.proctor.constraints).toHaveLength(2);
});
