import { describe, expect, test } from 'vitest';
import { madeUp, seeded } from '../../../test/support/behaviours.ts';
import {
  actionShingles,
  BANDS,
  bandKeys,
  likenessOf,
  type Print,
  printBytes,
  printFromBytes,
  printOf,
  textShingles,
} from './near-duplicate.ts';
import { nearDuplicatesOf, noveltyOf } from './novelty.ts';

const setOf = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `shingle ${from + index}`);
const print = (shingles: Iterable<string>) => printOf(shingles) as Print;

describe('prints', () => {
  test('the same set in another order has the same print, and nothing has none', () => {
    expect(print(setOf(0, 50).reverse())).toEqual(print(setOf(0, 50)));
    expect(printOf([])).toBeNull();
    expect(printOf(textShingles('  \n '))).toBeNull();
  });

  test.each([
    [0, 100, 1],
    [50, 150, 1 / 3],
    [20, 120, 80 / 120],
    [100, 200, 0],
  ])('the likeness of 0–100 and %i–%i is near that of the sets', (from, to, likeness) => {
    // the mean over 40 pairs of sets, so that a deviation of .063 becomes one of .01
    let sum = 0;
    for (let pair = 0; pair < 40; pair++) {
      const salted = (set: string[]) => set.map((shingle) => `${pair}/${shingle}`);
      sum += likenessOf(print(salted(setOf(0, 100))), print(salted(setOf(from, to))));
    }
    expect(Math.abs(sum / 40 - likeness)).toBeLessThan(0.04);
  });

  test('sets that are seven tenths alike share a band nearly always, strangers nearly never', () => {
    const scope = { cohort: 'task', kind: 'actions' } as const;
    const meets = (shared: number, pair: number) => {
      const one = [...setOf(0, shared), ...setOf(1_000, 1_000 + 100 - shared)].map((shingle) => `${pair}/${shingle}`);
      const other = [...setOf(0, shared), ...setOf(2_000, 2_000 + 100 - shared)].map((shingle) => `${pair}/${shingle}`);
      const keys = new Set(bandKeys(print(one), scope));
      return bandKeys(print(other), scope).some((key) => keys.has(key));
    };
    const found = (shared: number) =>
      Array.from({ length: 60 }, (_, pair) => meets(shared, pair)).filter(Boolean).length;
    // 83 of 117 members shared is a likeness of .71; 5 of 195 one of .03
    expect(found(83)).toBeGreaterThanOrEqual(55);
    expect(found(5)).toBeLessThanOrEqual(2);
  });

  test('keys fit a signed 64-bit column and differ by cohort, kind and band', () => {
    const one = print(setOf(0, 9));
    const keys = [
      ...bandKeys(one, { cohort: 'a', kind: 'actions' }),
      ...bandKeys(one, { cohort: 'b', kind: 'actions' }),
      ...bandKeys(one, { cohort: 'a', kind: 'artifact' }),
    ];
    expect(new Set(keys).size).toBe(3 * BANDS);
    expect(keys.every((key) => BigInt(key) >= 0n && BigInt(key) < 2n ** 63n)).toBe(true);
  });

  test('a print survives as bytes, and bytes that are cut off are none', () => {
    const one = print(setOf(0, 9));
    expect(printFromBytes(printBytes(one))).toEqual(one);
    expect(printFromBytes(printBytes(one).subarray(1))).toBeNull();
  });

  test('a session is printed by its actions; a text by five words in a row, and a short one as a whole', () => {
    const session = madeUp(seeded(1));
    expect([...actionShingles(session)]).toEqual([...session.fiveGrams.keys()]);
    expect([...actionShingles({ ...session, fiveGrams: new Map() })]).toEqual([...session.bigrams.keys()]);
    expect([...textShingles('return a+b')]).toEqual(['return a + b']);
    expect([...textShingles('one two three four five six')]).toHaveLength(2);
  });

  test('of a flood of shingles only the first twenty thousand are hashed, and of a text the first megabyte', () => {
    let asked = 0;
    const flood = function* () {
      for (;;) yield String(asked++);
    };
    expect(printOf(flood())).not.toBeNull();
    expect(asked).toBeLessThanOrEqual(20_001);
    expect([...textShingles('= '.repeat(1_000_000))]).toHaveLength(500_000 - 4);
  });
});

test('novelty is what is left of the likest session, and a session without any like it is all new', () => {
  const alike = [
    { sessionId: 'a', likeness: 0.95 },
    { sessionId: 'b', likeness: 0.4 },
  ];
  expect(noveltyOf(alike)).toBeCloseTo(0.05);
  expect(noveltyOf([])).toBe(1);
  expect(nearDuplicatesOf(alike).map(({ sessionId }) => sessionId)).toEqual(['a']);
});
