import { BANDS, likenessOf, PRINT_LENGTH, type Print } from '../profile/near-duplicate.ts';

const ROWS = PRINT_LENGTH / BANDS;
/** Prints of one band that are compared; where one band is everybody's, the nearest of these stands for all. */
const MOST_COMPARED = 64;

/** Finds how like a print is to those that were added before. For the prints of one task: memory grows with them. */
export class NearCopies {
  readonly #bands = new Map<number, Print[]>();

  /** The largest likeness to a print that was added, 0 where none shares a band with it. */
  likeness(print: Print): number {
    let most = 0;
    for (const key of keysOf(print)) {
      for (const other of this.#bands.get(key) ?? []) {
        const likeness = likenessOf(print, other);
        if (likeness > most) most = likeness;
        if (most === 1) return 1;
      }
    }
    return most;
  }

  add(print: Print): void {
    for (const key of keysOf(print)) {
      const known = this.#bands.get(key);
      if (known === undefined) this.#bands.set(key, [print]);
      else if (known.length < MOST_COMPARED) known.push(print);
    }
  }
}

/** One number for each band: its place, and 48 bits of its rows. Bands that collide only cost a comparison. */
function* keysOf(print: Print): Generator<number> {
  for (let band = 0; band < BANDS; band++) {
    let [high, low] = [0, 0];
    for (let row = band * ROWS; row < (band + 1) * ROWS; row++) {
      low = Math.imul(low ^ (print[row] as number), 0x01000193);
      high = Math.imul(high ^ (print[row] as number), 0x85ebca6b) ^ (low >>> 15);
    }
    yield band * 2 ** 48 + (high & 0xffff) * 2 ** 32 + (low >>> 0);
  }
}
