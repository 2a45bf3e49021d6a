import { expect, test } from 'vitest';
import { drawOne, drawRows, type RawParameter } from '../../../../test/support/draw-one.ts';

const TABLE = {
  type: 'table' as const,
  rows: 60,
  columns: {
    id: { type: 'integer' as const, min: 1, max: 1_000_000 },
    price: { type: 'decimal' as const, min: 0.01, max: 99.99, places: 2 },
    who: { type: 'person' as const },
    city: { type: 'name' as const, style: 'pascal' as const },
  },
};
const KINDS = ['missing', 'duplicate-row', 'outlier', 'swapped', 'padded', 'case'] as const;
type Row = Record<string, string | number>;
type Told = { row: number; column: string; kind: (typeof KINDS)[number] };

const planted = (kinds: readonly (typeof KINDS)[number][], seed: string, count = 30) => {
  const values = drawOne({ ...TABLE, anomalies: { count, kinds: [...kinds] } }, seed);
  return { rows: values.x as Row[], told: values.x_planted as Told[], clean: drawRows(TABLE, seed) };
};

/** What each kind makes of a clean row, said a second time and in another way. */
const LOOKS = {
  missing: ([now]) => now === '',
  outlier: ([now, was]) => Math.abs(Number(now) - Number(was) * 1_000) < 0.001 && Number(was) !== 0,
  padded: ([now, was]) => now !== was && /^ {1,3}\S.*\S {1,3}$/.test(String(now)) && String(now).trim() === was,
  case: ([now, was]) => now !== was && now === String(was).toUpperCase(),
  swapped: ([now, was]) => now !== was,
} satisfies Partial<Record<Told['kind'], (cells: [now: unknown, was: unknown]) => boolean>>;

test.each(KINDS)('every anomaly of the kind %s stands in the data where it is told', (kind) => {
  for (let seed = 0; seed < 20; seed++) {
    const { rows, told, clean } = planted([kind], `seed-${seed}`);
    expect(new Set(told.map(({ row }) => row)).size).toBe(30);
    for (const { row, column } of told) {
      const [now, was] = [rows[row] ?? {}, clean[row] ?? {}];
      if (kind === 'duplicate-row') {
        expect(column).toBe('');
        expect(rows.filter((other, at) => at !== row && JSON.stringify(other) === JSON.stringify(now))).not.toEqual([]);
      } else expect(LOOKS[kind]([now[column], was[column]]), `${column} of ${row}`).toBe(true);
    }
  }
});

test('two cells that changed places are told both, and hold what the other one held', () => {
  const { rows, told, clean } = planted(['swapped'], 'golden');
  for (const [index, { row, column }] of told.entries()) {
    const partner = told[index % 2 === 0 ? index + 1 : index - 1];
    expect(partner?.row).toBe(row);
    expect(rows[row]?.[column]).toBe(clean[row]?.[partner?.column ?? '']);
  }
});

test('every other cell is as it is without anomalies, and nothing untold changed', () => {
  for (let seed = 0; seed < 40; seed++) {
    const { rows, told, clean } = planted(KINDS, `seed-${seed}`);
    expect(rows).toHaveLength(clean.length);
    const isTold = (row: number, column: string) =>
      told.some((one) => one.row === row && (one.column === column || one.column === ''));
    for (const [row, cells] of rows.entries()) {
      for (const [column, cell] of Object.entries(cells)) {
        if (!isTold(row, column)) expect(cell).toBe(clean[row]?.[column]);
      }
    }
  }
});

test('what is told is in the order of the table, and each kind is planted', () => {
  const { told } = planted(KINDS, 'golden');
  expect(told.map(({ row }) => row)).toEqual(told.map(({ row }) => row).sort((a, b) => a - b));
  expect(new Set(told.map(({ kind }) => kind))).toEqual(new Set(KINDS));
});

test('a column more changes no cell of the others, and not the rows that are hit', () => {
  const anomalies = { count: 20, kinds: ['missing' as const] };
  const wider = { ...TABLE, columns: { first: { type: 'text' as const, words: 2 }, ...TABLE.columns } };
  const [one, two] = [drawOne({ ...TABLE, anomalies }), drawOne({ ...wider, anomalies })];
  const rowsOf = (told: unknown) => (told as Told[]).map(({ row }) => row);
  expect(rowsOf(two.x_planted)).toEqual(rowsOf(one.x_planted));
  expect(drawRows(wider).map(({ first: _first, ...others }) => others)).toEqual(drawRows(TABLE));
});

test('capitals are those that every version of Unicode has: other letters stay', () => {
  const raw = (of: string): RawParameter => ({
    ...{ type: 'table', rows: 2, columns: { x: { type: 'choice', of: [of] } } },
    anomalies: { count: 1, kinds: ['case'] },
  });
  const cells = (of: string) => drawRows(raw(of)).map(({ x }) => x);
  expect(cells('Łukasz Weiß')).toContain('ŁUKASZ WEISS');
  expect(cells('a\u10d0')).toContain('A\u10d0');
});

test('a table whose rows cannot take a kind says so instead of planting less', () => {
  const zeros: RawParameter = {
    ...{ type: 'table', rows: 4, columns: { x: { type: 'integer', min: 0, max: 0 } } },
    anomalies: { count: 1, kinds: ['outlier'] },
  };
  expect(() => drawOne(zeros)).toThrow(expect.objectContaining({ code: 'task-invalid' }));
  expect(() => drawOne(zeros)).toThrow(/"outlier"/);
});
