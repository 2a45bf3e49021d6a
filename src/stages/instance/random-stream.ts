import { createHash } from 'node:crypto';

/** Numbers drawn from a seed: the same seed and label give the same numbers on every machine. */
export interface RandomStream {
  /** A whole number from 0 to `bound - 1`, each equally likely. `bound` is at most 2^53. */
  below(bound: number): number;
  /** One of the items. */
  pick<T>(items: readonly T[]): T;
}

const TWO_TO_64 = 1n << 64n;

/**
 * SHA-256 in counter mode: block n is SHA-256("proctor/random/1" NUL seed NUL label NUL n). Numbers are drawn from
 * 64 bits by rejection, so none is favoured. Labels keep parameters apart: adding one changes no other.
 */
export function randomStream(seed: string, label: string): RandomStream {
  let counter = 0;
  let block = Buffer.alloc(0);
  let at = 0;
  const next64 = (): bigint => {
    if (at === block.length) {
      block = createHash('sha256').update(`proctor/random/1\0${seed}\0${label}\0${counter++}`).digest();
      at = 0;
    }
    at += 8;
    return block.readBigUInt64BE(at - 8);
  };
  const below = (bound: number): number => {
    const size = BigInt(bound);
    const limit = TWO_TO_64 - (TWO_TO_64 % size);
    for (;;) {
      const drawn = next64();
      if (drawn < limit) return Number(drawn % size);
    }
  };
  return { below, pick: <T>(items: readonly T[]) => items[below(items.length)] as T };
}
