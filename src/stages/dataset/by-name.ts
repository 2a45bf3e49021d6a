/** The order of names by their UTF-16 units, the same on every machine. */
export const byName = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
