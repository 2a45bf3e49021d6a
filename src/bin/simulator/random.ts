/** Numbers that look random and are the same in every run: mulberry32. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number from 0 to below n. */
  below(n: number): number;
  /** Normally distributed, mean 0, deviation 1 (Box–Muller). */
  normal(): number;
  hex(digits: number): string;
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    below: (n) => Math.floor(next() * n),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    hex: (digits) => Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join(''),
  };
}
