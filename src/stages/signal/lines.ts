/** Finds the line of a position, from 1, by halving: many positions may be asked for. */
export function lineFinder(text: string): (at: number) => number {
  let ends: readonly number[] | null = null;
  return (at) => {
    ends ??= [...text.matchAll(/\n/g)].map(({ index }) => index);
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] as number) < at) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
