/** Names that are longer are nobody's typing mistake. */
const LONGEST = 100;

/** The known name that a mistyped one is nearest to; null where none is near (more than a third of its letters, at least two). */
export function nearestName(given: string, known: readonly string[]): string | null {
  if (given.length > LONGEST) return null;
  const ranked = known
    .map((name) => ({ name, edits: editsBetween(given.toLowerCase(), name) }))
    .filter(({ name, edits }) => edits <= Math.max(2, Math.floor(name.length / 3)))
    .sort((one, other) => one.edits - other.edits);
  return ranked[0]?.name ?? null;
}

/** Letters to put in, leave out or replace (Levenshtein). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] ?? 0) + Number(letter !== other[column - 1]);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
