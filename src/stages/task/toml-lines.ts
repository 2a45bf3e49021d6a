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

/** Every table header and key with its full dotted name. */
function* settingsOf(source: string): Generator<{ key: readonly string[]; line: number }> {
  let table: readonly string[] = [];
  for (const [index, text] of source.split('\n').entries()) {
    const header = text.match(/^\s*\[\[?\s*([^\],]+?)\s*\]\]?\s*(?:#.*)?$/)?.[1];
    const key = text.match(/^\s*([\w.'"-]+)\s*=/)?.[1];
    if (header !== undefined) table = splitKey(header);
    if (header !== undefined) yield { key: table, line: index + 1 };
    else if (key !== undefined) yield { key: [...table, ...splitKey(key)], line: index + 1 };
  }
}

function splitKey(key: string): readonly string[] {
  return key.split('.').map((part) => part.trim().replace(/^['"]|['"]$/g, ''));
}
