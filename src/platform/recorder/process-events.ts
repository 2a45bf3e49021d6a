import type { RecordedEvent } from './recorded-event.ts';
import { splitArguments } from './split-arguments.ts';
import { annotationOf, type StraceCall } from './strace-call.ts';
import { quotedText, readableText } from './strace-text.ts';
import type { WorkingFolders } from './working-folders.ts';

const MAX_ARGUMENTS = 64;
const MAX_ARGUMENT = 1000;
/** All arguments of one execution together, so that a full record stays small. */
const MAX_ARGUMENTS_TOGETHER = 16_000;
const MAX_REFUSED_ARGUMENTS = 6;
const MAX_REFUSED_ARGUMENT = 300;

/** The event of an `execve` or `execveat`. */
export function executionEvent(call: StraceCall, folders: WorkingFolders): RecordedEvent {
  const at = call.name === 'execveat';
  const { path, guessed } = folders.resolve(call, at ? { folder: 0, path: 1 } : { folder: null, path: 0 });
  const { atMs, pid, outcome } = call;
  const argv = argumentList(call.args[at ? 2 : 1] ?? '');
  return {
    type: 'process.executed',
    atMs,
    pid,
    outcome,
    path,
    ...(guessed ? { guessed: true } : {}),
    ...argv,
    count: 1,
  };
}

/** The calls that send signals, with the places of their target (the thread, where two are named) and of the signal. */
const SIGNALS: Readonly<Record<string, readonly [target: number, signal: number]>> = {
  kill: [0, 1],
  tkill: [0, 1],
  tgkill: [1, 2],
  rt_sigqueueinfo: [0, 1],
  rt_tgsigqueueinfo: [1, 2],
  pidfd_send_signal: [0, 1],
};

/** The event of a call that sends a signal; null for any other call. */
export function signalEvent({ name, atMs, pid, outcome, args }: StraceCall): RecordedEvent | null {
  const places = SIGNALS[name];
  if (places === undefined) return null;
  const target = args[places[0]] ?? '';
  const receiver = name === 'pidfd_send_signal' ? ofDescriptor(target) : { target: integer(target) };
  const signal = (args[places[1]] ?? '').slice(0, 40);
  return { type: 'signal.sent', ...{ atMs, pid, outcome }, ...receiver, signal, count: 1 };
}

/** strace 6.1 does not tell whose a pidfd is; a descriptor of `/proc/N` names the process in the same call. */
function ofDescriptor(token: string): { readonly target: number; readonly descriptor?: string } {
  const process = annotationOf(token)?.path.match(/^\/proc\/(\d+)$/);
  const target = integer(process?.[1] ?? '');
  return target > 0 ? { target } : { target: 0, descriptor: token.slice(0, 100).toWellFormed() };
}

function integer(text: string): number {
  const number = Number.parseInt(text, 10);
  return Number.isSafeInteger(number) ? number : 0;
}

/** The event of a call that strace was told to refuse (`-e inject=…:error=EPERM`). */
export function refusalEvent({ name, atMs, pid, outcome, args }: StraceCall): RecordedEvent {
  const told = args
    .slice(0, MAX_REFUSED_ARGUMENTS)
    .map((token) => readable(token).slice(0, MAX_REFUSED_ARGUMENT).toWellFormed());
  return { type: 'call.refused', atMs, pid, outcome, call: name.slice(0, 60), args: told, count: 1 };
}

function argumentList(token: string): { argv: string[]; argvCut: boolean } {
  if (!token.startsWith('[')) return { argv: [], argvCut: token !== 'NULL' };
  const { items, more } = splitArguments(token.slice(1), MAX_ARGUMENTS);
  const argv: string[] = [];
  let argvCut = more;
  let left = MAX_ARGUMENTS_TOGETHER;
  for (const item of items) {
    if (item === '...' || left <= 0) {
      argvCut = true;
      break;
    }
    const whole = readable(item);
    const kept = whole.slice(0, Math.min(MAX_ARGUMENT, left)).toWellFormed();
    argvCut ||= kept !== whole || (quotedText(item)?.cut ?? false);
    left -= kept.length;
    argv.push(kept);
  }
  return { argv, argvCut };
}

function readable(token: string): string {
  const quoted = quotedText(token);
  if (quoted !== null) return readableText(quoted.escaped);
  return annotationOf(token)?.path ?? token;
}
