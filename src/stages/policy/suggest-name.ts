/** Names further apart than this are not taken for typos of each other. */
const MOST_EDITS = 3;
const LONGEST_NAME = 100;

/** The known name that was probably meant, or null: the nearest by letters changed, added, left out. */
export function nearestName(written: string, known: Iterable<string>): string | null {
  if (written === '' || written.length > LONGEST_NAME) return null;
  let best: string | null = null;
  let least = Math.min(MOST_EDITS, Math.ceil(written.length / 2)) + 1;
  for (const name of known) {
    const edits = editDistance(written, name);
    if (edits < least) [best, least] = [name, edits];
  }
  return best;
}

/** As the end of a sentence: `; did you mean "x"?`, or nothing. */
export function suggestion(written: string, known: Iterable<string>): string {
  const nearest = nearestName(written, known);
  return nearest === null ? '' : `; did you mean ${JSON.stringify(nearest)}?`;
}

/** Levenshtein 1966. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] as number) + Number(one[i - 1] !== other[j - 1]);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
}
