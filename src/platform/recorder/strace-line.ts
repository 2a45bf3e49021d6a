import { splitArguments } from './split-arguments.ts';

/** One line of `strace -f -ttt -o`, told apart by its first characters alone: nothing that an agent chooses stands there. */
export type StraceLine = { readonly pid: number; readonly atMs: number } & (
  | { readonly kind: 'call'; readonly name: string; readonly text: string; readonly unfinished: boolean }
  | { readonly kind: 'resumed'; readonly name: string; readonly text: string; readonly unfinished: boolean }
  | { readonly kind: 'ended'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'superseded'; readonly by: number }
  | { readonly kind: 'note' }
);

/** strace gives a call this name when its process died before strace could ask for the call. */
export const UNKNOWN_CALL = '???';

const UNFINISHED = ' <unfinished ...>';
/** Instead of `<unfinished ...>`, when a thread's execution made it the process `N`. */
const PID_CHANGED = / <pid changed to \d+ \.\.\.>$/;
/** Longer than any line of a superseded process. */
const GLUED_END = 120;
const GLUED = /(\d+) +\d+\.\d{6} \+\+\+ superseded by execve in pid \d+ \+\+\+$/;
/** One expression for what nearly every line begins with: this is read for each line of a log. */
const START = /^(\d+) +(\d+)\.(\d{6}) (?:([a-z_][a-z0-9_]*|\?{3,4})\(|<\.\.\. ([a-z_][a-z0-9_]*|\?{3,4}) resumed>)?/;
const END =
  /^\+\+\+ (?:exited with (\d+)|killed by (\w+)(?: \(core dumped\))?|superseded by execve in pid (\d+)) \+\+\+$/;

/**
 * Reads one line without its line break; null if it is none of strace's. strace escapes line breaks, quotes and, in the
 * annotations of descriptors, `<` and `>`; so a line cannot begin inside an agent's text, and only strace itself ends
 * one with `<unfinished ...>`. The `text` of a call is what follows its opening bracket.
 */
export function readStraceLine(line: string): StraceLine | null {
  const head = line.match(START);
  if (head === null) return null;
  const [start, pid, seconds, micros, called, resumed] = head;
  const at = { pid: Number(pid), atMs: (Number(seconds) * 1e6 + Number(micros)) / 1e3 };
  const name = called ?? resumed;
  if (name === undefined) return withoutCall(at, line.slice(start.length));
  const broken = brokenOff(line);
  return {
    pid: at.pid,
    atMs: at.atMs,
    kind: called === undefined ? 'resumed' : 'call',
    name: name.startsWith('?') ? UNKNOWN_CALL : name,
    text: line.slice(start.length, line.length - broken),
    unfinished: broken > 0,
  };
}

/**
 * Two lines that strace wrote as one: when a thread's execution replaces the process, strace forgets to end the line of
 * the call that the process's first thread had just begun. Null for every other line. Text of an agent cannot stand at the
 * end of a line: quotes and annotations are closed behind it.
 */
export function splitGlued(line: string): readonly [string, string] | null {
  if (!line.endsWith(' +++')) return null;
  const found = line.slice(-GLUED_END).match(GLUED);
  const head = line.match(START);
  const pid = head?.[1] ?? '';
  // a number of the call can stand directly before: both lines are of one process, so its digits are known
  if (head?.[4] === undefined || found?.[1] === undefined || !found[1].endsWith(pid)) return null;
  const at = line.length - found[0].length + found[1].length - pid.length;
  const { end, broken } = splitArguments(line.slice(head[0].length, at));
  return end >= 0 || broken ? null : [`${line.slice(0, at)}${UNFINISHED}`, line.slice(at)];
}

/** How long the mark at the end is that strace puts behind half a call; 0 for a whole one. */
function brokenOff(rest: string): number {
  if (!rest.endsWith(' ...>')) return 0;
  if (rest.endsWith(UNFINISHED)) return UNFINISHED.length;
  return rest.slice(-GLUED_END).match(PID_CHANGED)?.[0].length ?? 0;
}

type Moment = { readonly pid: number; readonly atMs: number };

function withoutCall(at: Moment, rest: string): StraceLine | null {
  if (rest.startsWith('+++')) return endOf(at, rest);
  return rest.startsWith('---') && rest.endsWith(' ---') ? { ...at, kind: 'note' } : null;
}

function endOf(at: Moment, rest: string): StraceLine | null {
  const end = rest.match(END);
  if (end === null) return null;
  const [, code, signal, by] = end;
  if (by !== undefined) return { ...at, kind: 'superseded', by: Number(by) };
  return { ...at, kind: 'ended', code: code === undefined ? null : Number(code), signal: signal ?? null };
}
