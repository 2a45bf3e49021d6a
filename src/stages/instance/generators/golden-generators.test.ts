import { expect, test } from 'vitest';
import { drawOne, type RawParameter } from '../../../../test/support/draw-one.ts';

// The numbers were computed by another implementation, in Python, of the documented methods; the texts and tables were
// looked through by hand. Whoever changes one of these literals changes instances that were made long ago.

const NUMBERS: readonly (readonly [RawParameter, unknown])[] = [
  [
    { type: 'integers', count: 12, min: 0, max: 1_000, distribution: 'normal' },
    [617, 511, 558, 445, 429, 541, 519, 507, 569, 519, 597, 395],
  ],
  [
    { type: 'integers', count: 12, min: 0, max: 1_000_000, distribution: 'log-uniform' },
    [4908, 1694, 5355, 35, 761229, 4, 1, 243, 2, 4150, 29, 5],
  ],
  [
    { type: 'integers', count: 12, min: 1, max: 1_000, distribution: 'zipf' },
    [371, 85, 5, 1, 5, 116, 341, 79, 71, 511, 48, 2],
  ],
  [{ type: 'integer', min: 0, max: 1_000, distribution: 'uniform' }, 13],
  [{ type: 'integer', min: -500, max: 500, distribution: 'normal' }, 117],
  [{ type: 'decimal', min: -5, max: 99.99, places: 2 }, 13.82],
  [{ type: 'decimal', min: 0.000001, max: 1, places: 6, distribution: 'log-uniform' }, 0.000004],
  [{ type: 'choice', of: ['a', 'b', 'c'], weights: [1, 9, 90] }, 'c'],
  [{ type: 'datetime', from: '1969-12-31', to: '1969-12-31', form: 'epoch' }, -42518],
];

const TEXTS: readonly (readonly [RawParameter, string])[] = [
  [{ type: 'person', locale: 'en' }, 'Jack Jenkins'],
  [{ type: 'person', locale: 'de' }, 'Jürgen Köhler'],
  [{ type: 'person', locale: 'fr' }, 'Inès Lefèvre'],
  [{ type: 'person', locale: 'es' }, 'Iñigo Ibáñez'],
  [{ type: 'person', locale: 'it' }, 'Federica Gallo'],
  [{ type: 'person', locale: 'pl' }, 'Krzysztof Mazur'],
  [{ type: 'person', locale: 'pt' }, 'Gonçalo Gonçalves'],
  [{ type: 'person', locale: 'sv' }, 'Håkan Håkansson'],
  [{ type: 'person', locale: 'tr' }, 'Gül Güneş'],
  [{ type: 'person', locale: 'ja' }, '佐々木 陽子'],
  [{ type: 'person', locale: 'any' }, 'Laurent Perrin'],
  [{ type: 'person', locale: 'ja', part: 'given' }, '陽子'],
  [{ type: 'person', locale: 'ja', part: 'family' }, '佐々木'],
  [
    { type: 'prose', sentences: 3 },
    'We found the mitten map under the crater chair. The desert team won by 31 points, and the little team went home. Why was the stream key left beside the pilot door?',
  ],
  [{ type: 'datetime', from: '2024-02-28', to: '2024-03-01' }, '2024-03-01T12:11:22Z'],
  [{ type: 'datetime', from: '2024-02-28', to: '2024-03-01', form: 'date' }, '2024-02-29'],
  [{ type: 'datetime', from: '2024-02-28', to: '2024-03-01', zone: 'offset' }, '2024-03-01T05:11:22-07:00'],
];

const TABLES: readonly (readonly [RawParameter, Record<string, unknown>])[] = [
  [
    {
      type: 'table',
      rows: 12,
      columns: {
        amount: { type: 'integer', min: 1, max: 9 },
        who: { type: 'name', style: 'pascal' },
        price: { type: 'decimal', min: 0, max: 9.99, places: 2 },
      },
      anomalies: { count: 6, kinds: ['missing', 'duplicate-row', 'outlier', 'swapped', 'padded', 'case'] },
    },
    {
      x: [
        { amount: 7, who: 'SpiceMiddle', price: 5.4 },
        { amount: 7, who: 'SpiceMiddle', price: 5.4 },
        { amount: 7, who: '  PianoWild ', price: 0.04 },
        { amount: 7, who: 'CraneMouse', price: 5.05 },
        { amount: 2, who: 'AbleSeason', price: 8.23 },
        { amount: 9, who: 'WHISPERPLANET', price: 2.65 },
        { amount: 9, who: 'FerryWagon', price: 5.95 },
        { amount: 3, who: 'StampCrystal', price: '' },
        { amount: 7, who: 'CanoeFlower', price: 9.32 },
        { amount: 2, who: 'StreamFeather', price: 9.32 },
        { amount: 'BoardRadish', who: 7, price: 0.7 },
        { amount: 7.86, who: 'CliffMouse', price: 1 },
      ],
      x_planted: [
        { row: 1, column: '', kind: 'duplicate-row' },
        { row: 2, column: 'who', kind: 'padded' },
        { row: 5, column: 'who', kind: 'case' },
        { row: 7, column: 'price', kind: 'missing' },
        { row: 10, column: 'amount', kind: 'swapped' },
        { row: 10, column: 'who', kind: 'swapped' },
        { row: 11, column: 'amount', kind: 'swapped' },
        { row: 11, column: 'price', kind: 'swapped' },
      ],
    },
  ],
  [
    { type: 'graph', nodes: 5, edges: 6, connected: true, weights: { min: 1, max: 9 }, names: true },
    {
      x: [
        { from: 'echo_blaze', to: 'mountain_april', weight: 1 },
        { from: 'mountain_april', to: 'table_able', weight: 1 },
        { from: 'mountain_april', to: 'useful_farmer', weight: 3 },
        { from: 'useful_farmer', to: 'table_able', weight: 5 },
        { from: 'echo_blaze', to: 'april_pigeon', weight: 7 },
        { from: 'useful_farmer', to: 'echo_blaze', weight: 6 },
      ],
    },
  ],
  [
    { type: 'graph', nodes: 6, edges: 7, directed: true, acyclic: true },
    {
      x: [
        { from: 'n5', to: 'n1' },
        { from: 'n4', to: 'n2' },
        { from: 'n1', to: 'n2' },
        { from: 'n2', to: 'n3' },
        { from: 'n5', to: 'n3' },
        { from: 'n4', to: 'n0' },
        { from: 'n5', to: 'n2' },
      ],
    },
  ],
  [
    { type: 'tree', folders: 3, files: 5, depth: 2, endings: ['.txt', '.tar.gz'] },
    {
      x: [
        { path: 'bright_mitten/crater_forest/angle_stream.tar.gz', bytes: 1069 },
        { path: 'guitar_little/coffee_robin.txt', bytes: 443 },
        { path: 'river_flavor.txt', bytes: 1336 },
        { path: 'dragon_normal.txt', bytes: 2813 },
        { path: 'bright_mitten/chalk_able.txt', bytes: 3388 },
      ],
    },
  ],
  [
    { type: 'log', lines: 6, services: 2, from: '2024-05-01', planted: { count: 2, text: 'disk is full' } },
    {
      x: [
        '2024-05-01T10:19:52Z ERROR bright_mitten: disk is full',
        '2024-05-01T10:20:12Z INFO bright_mitten: opened flavor with 60 entries key=52',
        '2024-05-01T10:20:25Z INFO bright_mitten: closed the connection to chalk key=1',
        '2024-05-01T10:20:35Z ERROR bright_mitten: disk is full',
        '2024-05-01T10:20:55Z DEBUG crater_forest: closed the connection to cellar key=85',
        '2024-05-01T10:21:01Z WARN crater_forest: closed the connection to bundle key=97',
      ],
      x_planted: [0, 3],
    },
  ],
  [
    { type: 'code', fragments: ['def $f($x):\n    return $x * $y  # $$5\n', '$a = 1'], style: 'camel' },
    {
      x: 'def mittenCrater(forestDesert):\n    return forestDesert * guitarLittle  # $5\n',
      x_symbols: [
        { symbol: 'f', name: 'mittenCrater' },
        { symbol: 'x', name: 'forestDesert' },
        { symbol: 'y', name: 'guitarLittle' },
      ],
    },
  ],
];

test.each([...NUMBERS, ...TEXTS])('%j has a known value for a known seed', (raw, value) => {
  expect(drawOne(raw).x).toEqual(value);
});

test.each(TABLES)('%j has a known value, and known companions, for a known seed', (raw, values) => {
  expect(drawOne(raw)).toEqual(values);
});
