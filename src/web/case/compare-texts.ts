import { type StructuredPatchHunk, structuredPatch } from 'diff';

/** One line of a comparison: of the left, of the right, or of both. */
export interface LineRow {
  readonly kind: 'same' | 'added' | 'removed';
  readonly left: number | null;
  readonly right: number | null;
  readonly text: string;
}
/** A line, or how many lines that are the same are left out here. */
export type DiffRow = LineRow | { readonly kind: 'gap'; readonly lines: number };
/** What stands next to each other in two columns. */
export type RowPair = readonly [left: LineRow | null, right: LineRow | null];

/** Lines that are the same around those that differ. */
const CONTEXT_LINES = 3;
/** Edits that are looked for; texts that differ in more are shown one after the other. */
const MOST_EDITS = 4_000;

/**
 * Two texts, line by line, with a few lines around what differs (`whole`: with all). Bounded: what would take longer than `timeoutMs`
 * comes out as everything removed and everything added.
 */
export function compareTexts(
  left: string,
  right: string,
  { timeoutMs, whole = false }: { readonly timeoutMs: number; readonly whole?: boolean },
): readonly DiffRow[] {
  const context = whole ? Number.MAX_SAFE_INTEGER : CONTEXT_LINES;
  const options = { context, timeout: Math.max(1, timeoutMs), maxEditLength: MOST_EDITS };
  const patch = structuredPatch('', '', left, right, '', '', options);
  if (patch === undefined) return [...allOf(left, 'removed'), ...allOf(right, 'added')];
  const rows: DiffRow[] = [];
  for (const hunk of patch.hunks) {
    const before = hunk.oldStart - endOf(rows);
    if (before > 0) rows.push({ kind: 'gap', lines: before });
    rows.push(...rowsOf(hunk));
  }
  const rest = countLines(left) + 1 - endOf(rows);
  return rest > 0 && rows.length > 0 ? [...rows, { kind: 'gap', lines: rest }] : rows;
}

const KINDS: Readonly<Record<string, LineRow['kind']>> = { ' ': 'same', '-': 'removed', '+': 'added' };

function rowsOf({ oldStart, newStart, lines }: StructuredPatchHunk): readonly LineRow[] {
  let [left, right] = [oldStart, newStart];
  return lines.flatMap((line): readonly LineRow[] => {
    const kind = KINDS[line[0] ?? ''];
    if (kind === undefined) return []; // "no newline at end of file"
    return [
      {
        kind,
        left: kind === 'added' ? null : left++,
        right: kind === 'removed' ? null : right++,
        text: line.slice(1),
      },
    ];
  });
}

/** The same lines of the left and right next to each other, for two columns. */
export function pairRows(rows: readonly DiffRow[]): readonly RowPair[] {
  const pairs: [LineRow | null, LineRow | null][] = [];
  let free = 0;
  for (const row of rows) {
    if (row.kind === 'gap') continue;
    const pair = pairs[free];
    if (row.kind === 'removed') pairs.push([row, null]);
    else if (row.kind === 'added' && pair !== undefined) {
      pair[1] = row;
      free++;
    } else {
      pairs.push([row.kind === 'same' ? row : null, row]);
      free = pairs.length;
    }
  }
  return pairs;
}

function endOf(rows: readonly DiffRow[]): number {
  let end = 1;
  for (const row of rows) {
    if (row.kind === 'gap') end += row.lines;
    else if (row.left !== null) end = row.left + 1;
  }
  return end;
}

function allOf(text: string, kind: 'added' | 'removed'): readonly DiffRow[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => ({
    ...{ kind, text: line },
    ...(kind === 'added' ? { left: null, right: index + 1 } : { left: index + 1, right: null }),
  }));
}

function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length - Number(text.endsWith('\n'));
}
