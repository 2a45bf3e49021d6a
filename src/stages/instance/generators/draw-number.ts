import type { WholeRange } from '../../task/cell-schema.ts';
import type { RandomStream } from '../random-stream.ts';

type DrawNumber = (stream: RandomStream) => number;

/** 2^40. Weights of a Zipf distribution are this over the rank, rounded down: 100,000 of them stay below 2^53 together. */
const ZIPF_UNIT = 1_099_511_627_776;
const UNIFORMS = 12;

/** What draws whole numbers of a range. Whole-number arithmetic throughout: engines may differ in the last bit of a logarithm. */
export function numberDrawer(range: WholeRange): DrawNumber {
  const { min, max } = range;
  switch (range.distribution ?? 'uniform') {
    case 'uniform':
      return (stream) => min + stream.below(max - min + 1);
    case 'normal':
      return (stream) => min + irwinHall(max - min + 1, stream);
    case 'log-uniform':
      return logUniform(min, max);
    case 'zipf': {
      const drawRank = weightedDrawer(
        Array.from({ length: max - min + 1 }, (_, index) => Math.floor(ZIPF_UNIT / (index + 1))),
      );
      return (stream) => min + drawRank(stream);
    }
  }
}

/** What draws an index, each as likely as its weight (a whole number of at least 1). */
export function weightedDrawer(weights: readonly number[]): DrawNumber {
  let total = 0;
  const upTo = weights.map((weight) => {
    total += weight;
    return total;
  });
  return (stream) => firstAbove(upTo, stream.below(total));
}

/** The first index whose entry is greater; the entries ascend and the last one is greater. */
function firstAbove(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((ascending[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The mean of twelve uniform draws from 0 to size - 1, rounded: a bell with a twelfth of the range as its deviation. */
function irwinHall(size: number, stream: RandomStream): number {
  let [twelfths, rest] = [0, UNIFORMS / 2];
  for (let turn = 0; turn < UNIFORMS; turn++) {
    const drawn = stream.below(size);
    twelfths += Math.floor(drawn / UNIFORMS);
    rest += drawn % UNIFORMS;
  }
  return twelfths + Math.floor(rest / UNIFORMS);
}

/** Each bit length that occurs in the range is as likely as any other; 0 has a bit length of its own. */
function logUniform(min: number, max: number): DrawNumber {
  const orders: { low: number; size: number }[] = [];
  let [low, high] = [0, 0];
  while (low <= max) {
    const [from, to] = [Math.max(low, min), Math.min(high, max)];
    if (from <= to) orders.push({ low: from, size: to - from + 1 });
    low = high + 1;
    high = low * 2 - 1;
  }
  return (stream) => {
    const order = stream.pick(orders);
    return order.low + stream.below(order.size);
  };
}
