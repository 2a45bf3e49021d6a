import { ProctorError } from '../../platform/base/errors.ts';
import type { WorkspaceFile } from '../instance/instance.ts';
import type { SentFile } from './accept-files.ts';
import { type FilePatch, type Hunk, parsePatch } from './parse-patch.ts';

/**
 * The files of a workspace as a unified diff leaves them, in no order. Strict: every context line must stand exactly where the hunk says,
 * and nothing is guessed; `bad-request` says which hunk of which file does not apply. Touches no disk: where a path leads is judged by who
 * accepts the files.
 */
export function applyPatch(start: readonly WorkspaceFile[], patch: string): readonly SentFile[] {
  const files = new Map<string, SentFile>(
    start.map(({ path, mode, bytes }) => [path, { path, bytes, executable: (mode & 0o100) !== 0 }]),
  );
  for (const part of parsePatch(patch)) applyPart(files, part);
  return [...files.values()];
}

function applyPart(files: Map<string, SentFile>, part: FilePatch): void {
  const { from, to, hunks } = part;
  const old = from === null ? null : files.get(from);
  if (old === undefined) throw refusal(from, 'there is no such file');
  if (to !== null && to !== from && files.has(to)) throw refusal(to, 'the file is there already');
  const executable = part.executable ?? old?.executable ?? false;
  const bytes = hunks.length === 0 ? (old?.bytes ?? Buffer.alloc(0)) : patched(old, part);
  if (from !== null) files.delete(from);
  if (to !== null) files.set(to, { path: to, bytes, executable });
  else if (bytes.length > 0 && hunks.length > 0) throw refusal(from, 'it is removed, but not all of it');
}

function patched(old: SentFile | null, { from, to, hunks }: FilePatch): Buffer {
  const name = from ?? to;
  const text = old?.bytes.toString('utf8') ?? '';
  if (old !== null && !Buffer.from(text, 'utf8').equals(old.bytes)) throw refusal(name, 'it is no UTF-8 text');
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const made: string[] = [];
  let at = 0;
  for (const [index, hunk] of hunks.entries()) {
    const begin = hunk.oldCount === 0 ? hunk.oldStart : hunk.oldStart - 1;
    if (begin < at || begin > lines.length) throw refusal(name, `hunk ${index + 1} begins where the file has no line`);
    for (; at < begin; at++) made.push(lines[at] as string);
    at = applyHunk(hunk, { lines, at, made }, () => refusal(name, `hunk ${index + 1} does not apply`));
  }
  for (; at < lines.length; at++) made.push(lines[at] as string);
  if (made.slice(0, -1).some((line) => !line.endsWith('\n')))
    throw refusal(name, 'a line without an end has others after it');
  return Buffer.from(made.join(''), 'utf8');
}

/** Gives the place in the old lines after the hunk. */
function applyHunk(
  hunk: Hunk,
  { lines, at, made }: { lines: readonly string[]; at: number; made: string[] },
  misfit: () => ProctorError,
): number {
  let place = at;
  for (const { kind, text } of hunk.lines) {
    if (kind !== '+' && lines[place++] !== text) throw misfit();
    if (kind !== '-') made.push(text);
  }
  return place;
}

function refusal(path: string | null, what: string): ProctorError {
  return new ProctorError('bad-request', `the patch does not apply to ${JSON.stringify(path)}: ${what}`);
}
