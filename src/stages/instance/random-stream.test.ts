import { expect, test } from 'vitest';
import { randomStream } from './random-stream.ts';

const draw = (count: number, bound: number, [seed, label]: [string, string] = ['golden', 'a']) => {
  const stream = randomStream(seed, label);
  return Array.from({ length: count }, () => stream.below(bound));
};

// The literals of this file were computed by another implementation, in Python, of the documented method.

test('a known seed and label give known numbers on every machine', () => {
  expect(draw(10, 1_000)).toEqual([844, 80, 266, 814, 866, 843, 958, 716, 262, 577]);
});

test('numbers of the largest bound are exact', () => {
  expect(draw(6, 2 ** 53)).toEqual([
    ...[1903514542230004, 7792591317776864, 3591345866393258],
    ...[7421348516927942, 1016157718857354, 1024566179500139],
  ]);
});

test('a number from the uneven rest of 64 bits is drawn again, so that none is favoured', () => {
  // the first 64 bits of this stream lie in that rest: taken modulo the bound they would give 809671849665371
  expect(draw(1, 9_002_803_355_713_536, ['golden', 'reject-787'])).toEqual([3_271_067_131_017_426]);
});

test('each side of a die comes up about as often as the others', () => {
  const counts = [0, 0, 0, 0, 0, 0];
  for (const side of draw(6_000, 6, ['golden', 'die'])) counts[side] = (counts[side] ?? 0) + 1;
  expect(counts).toEqual([998, 964, 1032, 974, 1006, 1026]);
});

test('numbers stay below their bound and reach its ends', () => {
  expect(new Set(draw(100, 1))).toEqual(new Set([0]));
  expect([...new Set(draw(200, 3))].sort()).toEqual([0, 1, 2]);
});

test('another seed or label gives other numbers', () => {
  const streams = [draw(8, 1_000), draw(8, 1_000, ['golden', 'b']), draw(8, 1_000, ['golden-2', 'a'])];
  expect(new Set(streams.map((numbers) => numbers.join())).size).toBe(3);
});

test('seed and label cannot run into each other', () => {
  expect(draw(4, 2 ** 53, ['ab', 'c'])).not.toEqual(draw(4, 2 ** 53, ['a', 'bc']));
});

test('picking takes the item at the number drawn', () => {
  const items = Array.from({ length: 1_000 }, (_, index) => `item-${index}`);
  const stream = randomStream('golden', 'a');
  expect([stream.pick(items), stream.pick(items), stream.pick(items)]).toEqual(['item-844', 'item-80', 'item-266']);
});
