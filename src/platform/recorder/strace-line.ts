/** One line of `strace -f -ttt -o`, told apart by its first characters alone: nothing that an agent chooses stands there. */
export type StraceLine = { readonly pid: number; readonly atMs: number } & (
  | { readonly kind: 'call'; readonly name: string; readonly text: string; readonly unfinished: boolean }
  | { readonly kind: 'resumed'; readonly name: string; readonly text: string; readonly unfinished: boolean }
  | { readonly kind: 'ended'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'superseded'; readonly by: number }
  | { readonly kind: 'note' }
);

const UNFINISHED = ' <unfinished ...>';
const HEAD = /^(\d+) +(\d+)\.(\d{6}) /;
const CALL = /^([a-z_][a-z0-9_]*)\(/;
const RESUMED = /^<\.\.\. ([a-z_][a-z0-9_]*) resumed>/;
const END =
  /^\+\+\+ (?:exited with (\d+)|killed by (\w+)(?: \(core dumped\))?|superseded by execve in pid (\d+)) \+\+\+$/;

/**
 * Reads one line without its line break; null if it is none of strace's. strace escapes line breaks, quotes and, in the
 * annotations of descriptors, `<` and `>`; so a line cannot begin inside an agent's text, and only strace itself ends
 * one with `<unfinished ...>`. The `text` of a call is what follows its opening bracket.
 */
export function readStraceLine(line: string): StraceLine | null {
  const head = line.match(HEAD);
  if (head === null) return null;
  const at = { pid: Number(head[1]), atMs: (Number(head[2]) * 1e6 + Number(head[3])) / 1e3 };
  const rest = line.slice(head[0].length);
  if (rest.startsWith('+++')) return endOf(at, rest);
  if (rest.startsWith('---')) return rest.endsWith(' ---') ? { ...at, kind: 'note' } : null;
  const resumed = rest.match(RESUMED);
  const start = resumed ?? rest.match(CALL);
  if (start === null) return null;
  const unfinished = rest.endsWith(UNFINISHED);
  const text = rest.slice(start[0].length, unfinished ? -UNFINISHED.length : undefined);
  return { ...at, kind: resumed === null ? 'call' : 'resumed', name: start[1] ?? '', text, unfinished };
}

function endOf(at: { readonly pid: number; readonly atMs: number }, rest: string): StraceLine | null {
  const end = rest.match(END);
  if (end === null) return null;
  const [, code, signal, by] = end;
  if (by !== undefined) return { ...at, kind: 'superseded', by: Number(by) };
  return { ...at, kind: 'ended', code: code === undefined ? null : Number(code), signal: signal ?? null };
}
