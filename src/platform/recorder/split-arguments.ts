const SPECIAL = /["<()[\]{},]/g;

/** Arguments (or the items of a list) as text, and the place after the closing bracket: -1 where the text ends before it. */
export interface Split {
  readonly items: readonly string[];
  readonly end: number;
  /** The text ends inside a quoted string or an annotation. */
  readonly broken: boolean;
  /** More items stand there than were asked for. */
  readonly more: boolean;
}

const FOUND = { end: -1, broken: false, more: false };

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
  // `test` and not `exec`: this is the hottest loop of all, and needs no list for each character
  while (SPECIAL.test(text)) {
    const at = SPECIAL.lastIndex - 1;
    const next = step(text, at, scan);
    if (next === 'closed') return { ...FOUND, items: scan.items, end: at + 1 };
    if (next === 'broken') {
      push(text, text.length, scan);
      return { ...FOUND, items: scan.items, broken: true };
    }
    if (scan.items.length >= maxItems) return { ...FOUND, items: scan.items, more: true };
    SPECIAL.lastIndex = next;
  }
  push(text, text.length, scan);
  return { ...FOUND, items: scan.items };
}

/** The place after the last whole quoted string of the text from `from` on; -1 if there is none. */
export function endOfLastString(text: string, from: number): number {
  let last = -1;
  SPECIAL.lastIndex = from;
  for (let found = SPECIAL.exec(text); found !== null; found = SPECIAL.exec(text)) {
    const next =
      found[0] === '"'
        ? endOfString(text, found.index)
        : found[0] === '<'
          ? endOfAnnotation(text, found.index)
          : found.index + 1;
    if (next === 'broken') break;
    if (found[0] === '"') last = next;
    SPECIAL.lastIndex = next;
  }
  return last;
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
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    if (!isEscaped(text, end)) return end + 1;
  }
  return 'broken';
}

/** An odd number of backslashes stands before the quotation mark. */
function isEscaped(text: string, quote: number): boolean {
  let from = quote;
  while (text[from - 1] === '\\') from -= 1;
  return (quote - from) % 2 === 1;
}

/** Past `</path>`; past both characters of a shift such as `1<<TCP_LISTEN`, which is no annotation. */
function endOfAnnotation(text: string, at: number): number | 'broken' {
  if (text[at + 1] === '<') return at + 2;
  const end = text.indexOf('>', at);
  return end < 0 ? 'broken' : end + 1;
}
