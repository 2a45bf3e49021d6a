import { posix } from 'node:path';
import type { RecordedEvent } from './recorded-event.ts';
import { annotationOf, type StraceCall } from './strace-call.ts';
import { quotedText, readableText } from './strace-text.ts';
import type { ResolvedPath, WorkingFolders } from './working-folders.ts';

interface Place {
  readonly folder: number | null;
  readonly path: number;
}
type PlainType = 'file.written' | 'file.removed' | 'folder.made' | 'file.changed';

const at = (path: number, folder: number | null = null): Place => ({ path, folder });

/** Calls that do one thing to one path: what, and which arguments name it. */
const PLAIN: Readonly<Record<string, readonly [PlainType, Place]>> = {
  creat: ['file.written', at(0)],
  mknod: ['file.written', at(0)],
  mknodat: ['file.written', at(1, 0)],
  unlink: ['file.removed', at(0)],
  unlinkat: ['file.removed', at(1, 0)],
  rmdir: ['file.removed', at(0)],
  mkdir: ['folder.made', at(0)],
  mkdirat: ['folder.made', at(1, 0)],
  truncate: ['file.changed', at(0)],
  chmod: ['file.changed', at(0)],
  fchmodat: ['file.changed', at(1, 0)],
  fchmodat2: ['file.changed', at(1, 0)],
  // fchmodat2 (452 on every machine but Alpha) by strace 6.1, which does not know it and shows only pointers
  syscall_0x1c4: ['file.changed', at(1, 0)],
  chown: ['file.changed', at(0)],
  lchown: ['file.changed', at(0)],
  fchownat: ['file.changed', at(1, 0)],
  utime: ['file.changed', at(0)],
  utimes: ['file.changed', at(0)],
  futimesat: ['file.changed', at(1, 0)],
  utimensat: ['file.changed', at(1, 0)],
};

const OPENS: Readonly<Record<string, Place & { readonly flags: number }>> = {
  open: { ...at(0), flags: 1 },
  openat: { ...at(1, 0), flags: 2 },
  openat2: { ...at(1, 0), flags: 2 },
};

const RENAMES: Readonly<Record<string, readonly [Place, Place]>> = {
  rename: [at(0), at(1)],
  renameat: [at(1, 0), at(3, 2)],
  renameat2: [at(1, 0), at(3, 2)],
};

/** Hard links: the old place, then the new one. */
const LINKS: typeof RENAMES = { link: [at(0), at(1)], linkat: [at(1, 0), at(3, 2)] };

const SYMBOLIC_LINKS: Readonly<Record<string, Place>> = { symlink: at(1), symlinkat: at(2, 1) };

const DENIALS = new Set(['EACCES', 'EPERM', 'EROFS']);
const WRITES = new Set(['O_WRONLY', 'O_RDWR', 'O_CREAT', 'O_TRUNC', 'O_TMPFILE']);

/** What a call did to files; null where it is about something else, or tells nothing (an `O_PATH` open). */
export function fileEvent(call: StraceCall, folders: WorkingFolders): RecordedEvent | null {
  const plain = PLAIN[call.name];
  if (plain !== undefined) {
    const file = located(call, folders.resolve(call, plain[1]));
    return { type: plain[0], ...(call.name === 'creat' ? truth(call, file) : file) };
  }
  const open = OPENS[call.name];
  if (open !== undefined) return openEvent(call, located(call, folders.resolve(call, open)), open.flags);
  if (call.name === 'fchmod' || call.name === 'fchown') return changedByDescriptor(call);
  return twoPathEvent(call, folders);
}

/** The path that an `open` or `openat` asks for, as it stands there; null for any other call. */
export function askedByOpen(name: string, args: readonly string[]): string | null {
  const quoted = name === 'open' || name === 'openat' ? quotedText(args[name === 'open' ? 0 : 1] ?? '') : null;
  return quoted === null ? null : readableText(quoted.escaped);
}

function openEvent(call: StraceCall, file: Located, flagsAt: number): RecordedEvent | null {
  const flags =
    (call.args[flagsAt] ?? '')
      .replace(/^\{flags=/, '')
      .match(/^[A-Z0-9_|x]+/i)?.[0]
      .split('|') ?? [];
  if (flags.includes('O_PATH') && !DENIALS.has(call.outcome)) return null;
  const type = flags.some((flag) => WRITES.has(flag)) ? 'file.written' : 'file.read';
  return { type, ...truth(call, file) };
}

function twoPathEvent(call: StraceCall, folders: WorkingFolders): RecordedEvent | null {
  const renamed = RENAMES[call.name];
  const linked = LINKS[call.name];
  const places = renamed ?? linked;
  if (places !== undefined) {
    const [from, to] = places.map((place) => folders.resolve(call, place));
    if (from === undefined || to === undefined) return null;
    const guessed = from.guessed || to.guessed;
    if (renamed !== undefined) {
      return { type: 'file.renamed', ...located(call, { ...from, guessed }), to: to.path };
    }
    return { type: 'file.linked', ...located(call, { ...to, guessed }), to: from.path };
  }
  const symbolic = SYMBOLIC_LINKS[call.name];
  if (symbolic === undefined) return null;
  const target = quotedText(call.args[0] ?? '');
  const to = target === null ? (call.args[0] ?? '') : readableText(target.escaped);
  return { type: 'file.linked', ...located(call, folders.resolve(call, symbolic)), to };
}

function changedByDescriptor(call: StraceCall): RecordedEvent {
  const file = annotationOf(call.args[0] ?? '');
  const known = { path: file?.path ?? call.args[0] ?? '', guessed: file === null };
  return { type: 'file.changed', ...located(call, known), ...(file?.deleted ? { deleted: true } : {}) };
}

interface Located {
  readonly atMs: number;
  readonly pid: number;
  readonly outcome: string;
  readonly path: string;
  readonly guessed?: true;
  readonly count: 1;
}

function located(call: StraceCall, { path, guessed }: ResolvedPath): Located {
  const { atMs, pid, outcome } = call;
  return { atMs, pid, outcome, path, ...(guessed ? { guessed: true } : {}), count: 1 };
}

/** The returned descriptor's path in place of the asked one: links and swaps cannot belie it. */
function truth(call: StraceCall, file: Located) {
  if (call.returned === null) return call.outcome === 'ok' ? { ...file, guessed: true as const } : file;
  const { guessed: _, ...rest } = file;
  return {
    ...rest,
    path: call.returned.path,
    ...(call.returned.path === posix.normalize(file.path) ? {} : { asked: file.path }),
    ...(call.returned.deleted ? { deleted: true as const } : {}),
  };
}
