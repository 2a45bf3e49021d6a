const SPECIAL = /["<()[\]{},]/g;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;

/** Arguments (or the items of a list) as text, and the place after the closing bracket: -1 where the text ends before it. */
export interface Split {
  readonly items: readonly string[];
  readonly end: number;
  /** More items stand there than were asked for. */
  readonly more: boolean;
}

/** Where a scan of strace's text stands. */
interface Scan {
  depth: number;
  from: number;
  readonly items: string[];
}

/**
 * Splits text that begins just after an opening bracket at its commas. Quoted strings and descriptors' annotations are
 * jumped over whole, so that no bracket or comma in an agent's text counts. With `maxItems` the scan stops after so many.
 */
export function splitArguments(text: string, maxItems = Number.POSITIVE_INFINITY): Split {
  const scan: Scan = { depth: 0, from: 0, items: [] };
  SPECIAL.lastIndex = 0;
  for (let found = SPECIAL.exec(text); found !== null; found = SPECIAL.exec(text)) {
    const next = step(text, found.index, scan);
    if (next === 'closed') return { items: scan.items, end: found.index + 1, more: false };
    if (next === 'broken') break;
    if (scan.items.length >= maxItems) return { items: scan.items, end: -1, more: true };
    SPECIAL.lastIndex = next;
  }
  push(text, text.length, scan);
  return { items: scan.items, end: -1, more: false };
}

/** Handles one special character; the place to go on from. */
function step(text: string, at: number, scan: Scan): number | 'closed' | 'broken' {
  const character = text[at];
  if (character === '"') return endOfString(text, at);
  if (character === '<') return endOfAnnotation(text, at);
  if (character === ',') {
    if (scan.depth === 0) push(text, at, scan);
    return at + 1;
  }
  if (character === '(' || character === '[' || character === '{') {
    scan.depth += 1;
    return at + 1;
  }
  if (scan.depth === 0) {
    push(text, at, scan);
    return 'closed';
  }
  scan.depth -= 1;
  return at + 1;
}

function push(text: string, to: number, scan: Scan): void {
  const item = text.slice(scan.from, to).trim();
  if (item !== '' || scan.items.length > 0) scan.items.push(item);
  scan.from = to + 1;
}

function endOfString(text: string, at: number): number | 'broken' {
  STRING.lastIndex = at;
  return STRING.test(text) ? STRING.lastIndex : 'broken';
}

/** Past `</path>`; past both characters of a shift such as `1<<TCP_LISTEN`, which is no annotation. */
function endOfAnnotation(text: string, at: number): number | 'broken' {
  if (text[at + 1] === '<') return at + 2;
  const end = text.indexOf('>', at);
  return end < 0 ? 'broken' : end + 1;
}
