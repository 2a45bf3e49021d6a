/**
 * The line (from 1) on which a field is set, or its table begins; null when neither stands there in plain form.
 * The TOML parser gives lines for syntax errors only, so this looks for headers and keys as people write them.
 */
export function lineOfField(source: string, path: readonly string[]): number | null {
  let best: { depth: number; line: number } | null = null;
  for (const { key, line } of settingsOf(source)) {
    const onTheWay = key.length <= path.length && key.every((part, index) => part === path[index]);
    if (onTheWay && (best === null || key.length > best.depth)) best = { depth: key.length, line };
  }
  return best?.line ?? null;
}

/** Every table header and key with its full dotted name; in a table of a list also with the table's number, from 0. */
function* settingsOf(source: string): Generator<{ key: readonly string[]; line: number }> {
  let tables: readonly (readonly string[])[] = [[]];
  const counts = new Map<string, number>();
  for (const [index, text] of source.split('\n').entries()) {
    const [, brackets, header] = text.match(/^\s*(\[\[?)\s*([^\],]+?)\s*\]\]?\s*(?:#.*)?$/) ?? [];
    const key = text.match(/^\s*([\w.'"-]+)\s*=/)?.[1];
    if (header !== undefined) tables = tablesOf(splitKey(header), brackets === '[[' ? counts : null);
    const rest = header === undefined && key !== undefined ? splitKey(key) : [];
    if (header === undefined && key === undefined) continue;
    for (const table of tables) yield { key: [...table, ...rest], line: index + 1 };
  }
}

/** A table's name, and for one of a list also its name with its number; the counts say how many there were. */
function tablesOf(name: readonly string[], counts: Map<string, number> | null): readonly (readonly string[])[] {
  if (counts === null) return [name];
  const count = counts.get(name.join('.')) ?? 0;
  counts.set(name.join('.'), count + 1);
  return [name, [...name, String(count)]];
}

function splitKey(key: string): readonly string[] {
  return key.split('.').map((part) => part.trim().replace(/^['"]|['"]$/g, ''));
}
