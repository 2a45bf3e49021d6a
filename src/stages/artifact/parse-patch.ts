import { ProctorError } from '../../platform/base/errors.ts';

/** One line of a hunk, with its end where it has one. */
interface HunkLine {
  readonly kind: ' ' | '-' | '+';
  readonly text: string;
}

/** A hunk of a unified diff; places count from 1. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly lines: readonly HunkLine[];
}

/** What a unified diff says of one file; `from` is null for a new one, `to` for one that is removed. */
export interface FilePatch {
  readonly from: string | null;
  readonly to: string | null;
  /** What it says of the mode; null: nothing. */
  readonly executable: boolean | null;
  readonly hunks: readonly Hunk[];
}

interface Draft {
  from: string | null;
  to: string | null;
  executable: boolean | null;
  hunks: Hunk[];
}

/**
 * Reads a unified diff (POSIX diff -u, git diff), without what has no lines: binary parts and copies. `bad-request` with the number of the
 * line that is not understood; text before the first file is skipped, as mails have it.
 */
export function parsePatch(patch: string): readonly FilePatch[] {
  const lines = patch.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const parts: Draft[] = [];
  const reader: Reader = { lines, at: 0 };
  while (reader.at < lines.length) readOne(reader, parts);
  if (parts.length === 0) throw new ProctorError('bad-request', 'the patch is no unified diff: it names no file');
  return parts;
}

/** Reads the next part, hunk or line between them. */
function readOne(reader: Reader, parts: Draft[]): void {
  const line = reader.lines[reader.at] as string;
  const part = parts.at(-1);
  if (line.startsWith('diff --git ')) parts.push(readGitHeader(reader));
  else if (line.startsWith('--- ')) readNamedPart(reader, parts);
  else if (line.startsWith('@@ ') && part !== undefined) part.hunks.push(readHunk(reader));
  else if (line === '-- ' && part !== undefined)
    reader.at = reader.lines.length; // the signature below a mail
  else if (part === undefined || line === '') reader.at++;
  else throw misread(reader, 'it is no part of a unified diff');
}

/** Reads the two names of a file: of the part that git has begun already, or of a new one. */
function readNamedPart(reader: Reader, parts: Draft[]): void {
  const begun = reader.inGit;
  const named = readNames(reader, begun !== undefined);
  if (begun !== undefined) Object.assign(begun, named);
  else parts.push({ ...named, executable: null, hunks: [] });
  reader.inGit = undefined;
}

interface Reader {
  readonly lines: readonly string[];
  at: number;
  /** The part whose names may still come. */
  inGit?: Draft | undefined;
}

/** Lines of git between `diff --git` and the names; the first group says something, the second does not. */
const GIT_LINES = /^(old mode|new mode|new file mode|deleted file mode|rename from|rename to) (.+)$/;
const GIT_SILENT = /^(similarity index|dissimilarity index|index) /;

function readGitHeader(reader: Reader): Draft {
  const name = gitName(reader);
  const draft: Draft = { from: name, to: name, executable: null, hunks: [] };
  for (reader.at++; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] as string;
    const [, what, value = ''] = GIT_LINES.exec(line) ?? [];
    if (what !== undefined) takeGitLine(reader, draft, { what, value });
    else if (!GIT_SILENT.test(line)) break;
  }
  if (/^(Binary files|GIT binary patch|copy )/.test(reader.lines[reader.at] ?? '')) {
    throw misread(reader, 'binary parts and copies are not taken');
  }
  if (draft.from === '' || draft.to === '') throw misread(reader, 'the names of the file before it are not understood');
  reader.inGit = draft;
  return draft;
}

function takeGitLine(reader: Reader, draft: Draft, { what, value }: { what: string; value: string }): void {
  if (what === 'new file mode') draft.from = null;
  if (what === 'deleted file mode') draft.to = null;
  if (what === 'rename from') draft.from = plainName(reader, value);
  if (what === 'rename to') draft.to = plainName(reader, value);
  if (what.startsWith('new')) draft.executable = modeOf(reader, value);
}

/** The name in `diff --git a/NAME b/NAME`; empty where the two differ, and other lines must say. */
function gitName(reader: Reader): string {
  const rest = plainName(reader, (reader.lines[reader.at] as string).slice('diff --git '.length));
  const half = (rest.length - 1) / 2;
  const [one, other] = [rest.slice(0, half), rest.slice(half + 1)];
  return one.startsWith('a/') && other.startsWith('b/') && one.slice(2) === other.slice(2) ? one.slice(2) : '';
}

function modeOf(reader: Reader, mode: string): boolean {
  if (mode === '100644' || mode === '100755') return mode === '100755';
  throw misread(reader, `files of mode ${mode.slice(0, 20)} are not taken`);
}

function readNames(reader: Reader, isGit: boolean): Pick<Draft, 'from' | 'to'> {
  const name = (prefix: string) => {
    const line = reader.lines[reader.at] ?? '';
    if (!line.startsWith(prefix)) throw misread(reader, `a line that begins with ${JSON.stringify(prefix)} is missing`);
    const text = plainName(reader, line.slice(prefix.length).replace(/\t.*$/, ''));
    reader.at++;
    return text === '/dev/null' ? null : text;
  };
  const [from, to] = [name('--- '), name('+++ ')];
  if (from === null && to === null) throw misread(reader, 'the file before it has no name');
  const prefixed = isGit || ((from ?? 'a/').startsWith('a/') && (to ?? 'b/').startsWith('b/'));
  const bare = (text: string | null) => (prefixed ? (text?.slice(2) ?? null) : text);
  return { from: bare(from), to: bare(to) };
}

function plainName(reader: Reader, text: string): string {
  if (text.startsWith('"') || text.includes(' "'))
    throw misread(reader, 'names in quotes are not taken (git -c core.quotePath=off)');
  if (text === '') throw misread(reader, 'a name is empty');
  return text;
}

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/;

function readHunk(reader: Reader): Hunk {
  const [found, oldStart, oldCount = '1', newCount = '1'] = HUNK.exec(reader.lines[reader.at] as string) ?? [];
  if (found === undefined) throw misread(reader, 'the head of a hunk is not understood');
  const left: Left = { old: Number(oldCount), new: Number(newCount) };
  const hunk = { oldStart: Number(oldStart), oldCount: left.old, lines: [] as HunkLine[] };
  for (reader.at++; left.old > 0 || left.new > 0 || isEndless(reader); reader.at++) {
    if (isEndless(reader)) cutEnd(reader, hunk.lines);
    else hunk.lines.push(readHunkLine(reader, left));
  }
  return hunk;
}

/** Lines that a hunk still has by its head. */
interface Left {
  old: number;
  new: number;
}

function readHunkLine(reader: Reader, left: Left): HunkLine {
  const line = reader.lines[reader.at] ?? '';
  const kind = line[0];
  if (kind !== ' ' && kind !== '-' && kind !== '+') throw misread(reader, 'a hunk has fewer lines than it says');
  if (kind !== '+') left.old--;
  if (kind !== '-') left.new--;
  if (left.old < 0 || left.new < 0) throw misread(reader, 'a hunk has other lines than it says');
  return { kind, text: `${line.slice(1)}\n` };
}

/** The line before has no end. */
function cutEnd(reader: Reader, lines: HunkLine[]): void {
  const last = lines.pop();
  if (last === undefined) throw misread(reader, 'there is no line before it');
  lines.push({ kind: last.kind, text: last.text.replace(/\n$/, '') });
}

/** Whether the next line says that the one before it has no end. */
function isEndless({ lines, at }: Reader): boolean {
  return lines[at]?.startsWith('\\ ') === true;
}

function misread({ at }: Reader, what: string): ProctorError {
  return new ProctorError('bad-request', `line ${at + 1} of the patch: ${what}`);
}
