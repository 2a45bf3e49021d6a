import { posix } from 'node:path';
import { annotationOf, type StraceCall } from './strace-call.ts';
import { quotedText, readableText } from './strace-text.ts';

/** An absolute path, or a relative one whose folder nobody knows. */
export interface ResolvedPath {
  readonly path: string;
  /** Inferred: the call names no descriptor, and processes have had several working folders; or the path was not readable. */
  readonly guessed: boolean;
}

const HERE = 'AT_FDCWD';

/**
 * The working folders of the traced processes. Calls with a folder descriptor tell it; older ones (`unlink`, `mkdir`)
 * do not, and threads can share it or not: it is certain only while there has been one folder for all.
 */
export class WorkingFolders {
  readonly #byPid = new Map<number, string>();
  #first: string | null = null;
  #several = false;

  /** Starts anew at the step's begin: what the launcher's processes had counts no more. */
  reset(): void {
    this.#byPid.clear();
    this.#first = null;
    this.#several = false;
  }

  /** Learns from a call's `AT_FDCWD</path>`, and from `chdir` and `fchdir` that were not refused. */
  learn(call: StraceCall): void {
    for (const token of call.args) {
      if (token.startsWith(`${HERE}<`)) this.#set(call.pid, annotationOf(token)?.path);
    }
    if (call.outcome !== 'ok') return;
    if (call.name === 'fchdir') this.#set(call.pid, annotationOf(call.args[0] ?? '')?.path);
    if (call.name === 'chdir') this.#set(call.pid, this.resolve(call, { folder: null, path: 0 }).path);
  }

  /** The process has ended; its number may come again. */
  forget(pid: number): void {
    this.#byPid.delete(pid);
  }

  /** The path in the arguments at these places, made absolute with the folder's descriptor or the working folder. */
  resolve(call: StraceCall, at: { readonly folder: number | null; readonly path: number }): ResolvedPath {
    const token = call.args[at.path] ?? '';
    const quoted = quotedText(token);
    const folder = at.folder === null ? HERE : (call.args[at.folder] ?? '');
    if (quoted === null) return this.#unreadable(folder, token);
    const asked = readableText(quoted.escaped);
    if (asked.startsWith('/')) return { path: posix.normalize(asked), guessed: quoted.cut };
    const base = annotationOf(folder);
    if (base !== null) return { path: asked === '' ? base.path : posix.resolve(base.path, asked), guessed: quoted.cut };
    return this.#relative(call.pid, folder === HERE, asked);
  }

  /** NULL with a descriptor means the descriptor's own file; a bad pointer may be readable a moment later, so it is told. */
  #unreadable(folder: string, token: string): ResolvedPath {
    const base = folder.startsWith(HERE) ? null : annotationOf(folder);
    return token === 'NULL' && base !== null ? { path: base.path, guessed: false } : { path: token, guessed: true };
  }

  #relative(pid: number, here: boolean, asked: string): ResolvedPath {
    const base = here ? (this.#byPid.get(pid) ?? (this.#several ? undefined : (this.#first ?? undefined))) : undefined;
    if (base === undefined || !base.startsWith('/')) return { path: asked, guessed: true };
    return { path: posix.resolve(base, asked), guessed: this.#several };
  }

  #set(pid: number, folder: string | undefined): void {
    if (folder === undefined) return;
    this.#byPid.set(pid, folder);
    if (this.#first === null) this.#first = folder;
    else if (this.#first !== folder) this.#several = true;
  }
}
