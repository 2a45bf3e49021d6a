import { expect, test } from 'vitest';
import { parseDefinition } from './parse-definition.ts';

const SOUND = '[proctor]\ngrader = "stdio"\n[proctor.stdio]\ncommand = ["true"]\n[proctor.parameters.x]\n';

const columns = (cell: string) => `[proctor.parameters.x.columns.c]\n${cell}\n`;
const COLUMN = columns('type = "integer"\nmin = 1\nmax = 9');
const FAULTS: readonly (readonly [lines: string, field: string, message: string])[] = [
  ['type = "integer"\nmin = 1\nmax = 9\ndistribution = "bell"', 'distribution', 'Invalid option'],
  ['type = "integer"\nmin = -1\nmax = 9\ndistribution = "log-uniform"', 'min', 'log-uniform needs min >= 0'],
  ['type = "integers"\ncount = 1\nmin = 1\nmax = 100_001\ndistribution = "zipf"', 'max', 'at most 100000 values'],
  ['type = "decimal"\nmin = 0.001\nmax = 1\nplaces = 2', 'places', 'at most 2 places'],
  ['type = "decimal"\nmin = 0\nmax = 1e15\nplaces = 1', 'places', '15 digits'],
  ['type = "decimal"\nmin = 2\nmax = 1\nplaces = 1', 'min', 'min is greater than max'],
  ['type = "decimal"\nmin = 2\nmax = 3\nplaces = 7', 'places', '<=6'],
  ['type = "choice"\nof = ["a", "b"]\nweights = [1]', 'weights', 'one weight for each'],
  ['type = "choice"\nof = ["a"]\nweights = [0]', 'weights.0', '>=1'],
  ['type = "person"\nlocale = "la"', 'locale', 'Invalid option'],
  ['type = "prose"\nsentences = 201', 'sentences', '<=200'],
  ['type = "datetime"\nfrom = 2024-01-01\nto = "2024-01-01"', 'from', 'a date in quotes'],
  ['type = "datetime"\nfrom = "2023-02-29"\nto = "2024-01-01"', 'from', 'there is no such day'],
  ['type = "datetime"\nfrom = "1024-01-01"\nto = "2024-01-01"', 'from', 'from 1600 to 2999'],
  ['type = "datetime"\nfrom = "2024-01-02"\nto = "2024-01-01"', 'from', 'later than to'],
  [
    'type = "datetime"\nfrom = "2024-01-01"\nto = "2024-01-01"\nform = "date"\nzone = "offset"',
    'zone',
    'form = "datetime"',
  ],
  [
    `type = "table"\nrows = 3\nanomalies = { count = 2, kinds = ["missing"] }\n${COLUMN}`,
    'anomalies.count',
    'half of the rows',
  ],
  [`type = "table"\nrows = 9\nanomalies = { count = 2, kinds = [] }\n${COLUMN}`, 'anomalies.kinds', '>=1'],
  [
    `type = "table"\nrows = 9\nanomalies = { count = 2, kinds = ["missing", "missing"] }\n${COLUMN}`,
    'anomalies.kinds',
    'a kind twice',
  ],
  [
    `type = "table"\nrows = 9\nanomalies = { count = 2, kinds = ["swapped"] }\n${COLUMN}`,
    'anomalies.kinds.0',
    'needs two columns',
  ],
  [
    `type = "table"\nrows = 9\nanomalies = { count = 2, kinds = ["case"] }\n${COLUMN}`,
    'anomalies.kinds.0',
    'column of texts',
  ],
  [
    `type = "table"\nrows = 9\nanomalies = { count = 2, kinds = ["outlier"] }\n${columns('type = "name"')}`,
    'anomalies.kinds.0',
    'column of numbers',
  ],
  ['type = "graph"\nnodes = 5\nedges = 11', 'edges', 'at most 10 edges'],
  ['type = "graph"\nnodes = 5\nedges = 21\ndirected = true', 'edges', 'at most 20 edges'],
  ['type = "graph"\nnodes = 5\nedges = 11\ndirected = true\nacyclic = true', 'edges', 'at most 10 edges'],
  ['type = "graph"\nnodes = 5\nedges = 5\nacyclic = true', 'edges', 'at most 4 edges'],
  ['type = "graph"\nnodes = 5\nedges = 3\nconnected = true', 'edges', 'at least 4 edges'],
  ['type = "graph"\nnodes = 5\nedges = 3\nweights = { min = 2, max = 1 }', 'weights.min', 'greater than max'],
  ['type = "tree"\nfolders = 1\nfiles = 5\ndepth = 2\nendings = [".a"]', 'depth', '1 folders cannot be 2 deep'],
  ['type = "tree"\nfolders = 1\nfiles = 5\ndepth = 0\nendings = [".a"]', 'depth', 'at least 1'],
  ['type = "tree"\nfolders = 3\nfiles = 2\ndepth = 1\nendings = [".a"]', 'files', 'one file for each folder'],
  ['type = "tree"\nfolders = 1\nfiles = 2\ndepth = 1\nendings = ["/a"]', 'endings.0', 'must be an ending'],
  [
    'type = "tree"\nfolders = 1\nfiles = 2\ndepth = 1\nendings = [".a"]\nbytes = { min = -1, max = 1 }',
    'bytes.min',
    'no fewer than 0',
  ],
  [
    'type = "log"\nlines = 5\nservices = 1\nfrom = "2024-01-01"\nplanted = { count = 6, text = "x" }',
    'planted.count',
    'more than there are lines',
  ],
  [
    'type = "log"\nlines = 5\nservices = 1\nfrom = "2024-01-01"\nplanted = { count = 1, text = "x\\ny" }',
    'planted.text',
    'one line',
  ],
  ['type = "code"\nfragments = ["x = $$5"]', 'fragments.0', 'no symbol'],
  ['type = "name"\nlate = 1', 'late', 'boolean'],
  ['type = "name"\nat = { Hard = { style = "camel" } }', 'at.Hard', 'Invalid key'],
];

test.each(FAULTS)('the parameter %j has one fault, at %s', (lines, field, message) => {
  const { definition, problems } = parseDefinition(`${SOUND}${lines}\n`);
  expect(definition).toBeNull();
  expect(problems.map((problem) => [problem.severity, problem.field, problem.message])).toEqual([
    ['error', `proctor.parameters.x.${field}`, expect.stringContaining(message)],
  ]);
});
