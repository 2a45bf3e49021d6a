import { splitArguments } from './split-arguments.ts';
import { readableText } from './strace-text.ts';

/** A descriptor's file as `strace -y` annotates it. */
export interface Annotation {
  readonly path: string;
  readonly deleted: boolean;
}

/** One system call, joined and split; arguments are still strace's text. */
export interface StraceCall {
  readonly pid: number;
  readonly atMs: number;
  /** When it was seen to end; infinite for a call that still runs. */
  readonly endMs: number;
  readonly name: string;
  readonly args: readonly string[];
  /** `ok`, an errno name, or `unfinished`. */
  readonly outcome: string;
  /** The returned descriptor's file. */
  readonly returned: Annotation | null;
  /** strace itself made the call fail (`-e inject`). */
  readonly injected: boolean;
}

const ANNOTATED = /^(?:-?\d+|AT_FDCWD)<([^>]*)>(\(deleted\))?$/;
const FAILED = /^(?:-1|\?) (?:(E[A-Z0-9]+)|\(errno \d+\))(?: \([^()]*\))*$/;
const VALUE = /^(?:-?\d+|0x[0-9a-f]+)(?: \([^()]*\))*$/;

/** What a call's text (see `readStraceLine`) tells of arguments and result; null if it is not whole. */
export function readCallText(text: string): Pick<StraceCall, 'args' | 'outcome' | 'returned' | 'injected'> | null {
  const { items, end } = splitArguments(text);
  if (end < 0) return null;
  const equals = text.slice(end).match(/^\s*= /);
  if (equals === null) return null;
  const result = text.slice(end + equals[0].length);
  const outcome = outcomeOf(result);
  if (outcome === null) return null;
  return { args: items, outcome, returned: annotationOf(result), injected: result.endsWith(' (INJECTED)') };
}

/** The file that an argument or a result such as `3</path>` names; null without an annotation. */
export function annotationOf(token: string): Annotation | null {
  const found = token.match(ANNOTATED);
  if (found?.[1] === undefined) return null;
  return { path: readableText(found[1]), deleted: found[2] !== undefined };
}

function outcomeOf(result: string): string | null {
  if (result === '?' || result === '? <unavailable>') return 'unfinished';
  const failed = result.match(FAILED);
  if (failed !== null) return failed[1] ?? 'EUNKNOWN';
  return VALUE.test(result) || ANNOTATED.test(result) ? 'ok' : null;
}
