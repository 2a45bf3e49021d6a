import type { RandomStream } from '../random-stream.ts';

/** A copy in drawn order, each order equally likely (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], stream: RandomStream): T[] {
  const order = distinctNumbers(items.length, stream);
  return Array.from(items, () => items[order.next().value as number] as T);
}

/** The numbers below the bound in drawn order, each once. It keeps only the numbers that changed places. */
export function* distinctNumbers(bound: number, stream: RandomStream): Generator<number> {
  const moved = new Map<number, number>();
  for (let left = bound; left > 0; left--) {
    const at = stream.below(left);
    yield moved.get(at) ?? at;
    moved.set(at, moved.get(left - 1) ?? left - 1);
    moved.delete(left - 1);
  }
}

/** So many of the numbers below the bound, ascending. */
export function drawPlaces(count: number, bound: number, stream: RandomStream): number[] {
  const numbers = distinctNumbers(bound, stream);
  return Array.from({ length: count }, () => numbers.next().value as number).sort((a, b) => a - b);
}
