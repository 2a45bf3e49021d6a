import type { ScreenedFile, ScreenInput } from './detector.ts';
import { readPlainCode } from './plain-code.ts';
import { stringValue } from './python-literals.ts';
import type { PythonFile } from './python-names.ts';

/** A piece of text that is written for readers: a run of comments, a docstring, a paragraph. */
export interface Prose {
  readonly line: number;
  readonly text: string;
}

const PROSE_FILE = /\.(?:md|markdown|rst|txt|adoc|html?|tex)$|(?:^|\/)(?:README|NOTES?|CHANGELOG|LICENSE|TODO)$/i;
const MAX_PROSE_BYTES = 512 * 1024;
/** How much of one piece is read, and how many pieces of one file. */
const MAX_PIECE = 4_000;
const MAX_PIECES = 5_000;

/** What a file says to its readers: in code the comments and documentation, in texts everything. */
export function proseOf(input: ScreenInput, file: ScreenedFile): readonly Prose[] {
  const python = input.python(file);
  if (python !== null) return pieces([...comments(python), ...documentation(python)]);
  const plain = readPlainCode(file);
  if (plain !== null) {
    return pieces(plain.comments.map(({ at, text }) => ({ line: plain.line(at), text })));
  }
  return PROSE_FILE.test(file.path) && file.bytes.length <= MAX_PROSE_BYTES ? pieces(paragraphs(file.bytes)) : [];
}

/** Joins comments of lines that follow each other, and smooths white space. */
function pieces(parts: readonly Prose[]): readonly Prose[] {
  const joined: { line: number; last: number; text: string }[] = [];
  for (const { line, text } of parts.slice(0, MAX_PIECES)) {
    const before = joined.at(-1);
    const last = line + (text.match(/\n/g)?.length ?? 0);
    const goesOn = before !== undefined && /^\s*(?:#|\/\/)/.test(text) && before.last === line - 1;
    if (goesOn && before.text.length < MAX_PIECE) Object.assign(before, { last, text: `${before.text} ${text}` });
    else joined.push({ line, last, text });
  }
  return joined.map(({ line, text }) => ({
    line,
    text: text.slice(0, MAX_PIECE).replace(/[\s#*/]+/g, (run) => smooth(run)),
  }));
}

/** Marks at the beginnings of comment lines are no words; single slashes and stars within a line are. */
function smooth(run: string): string {
  return /\s/.test(run) || run.length > 2 ? ' ' : run;
}

function comments(file: PythonFile): Prose[] {
  return file.all('Comment').map(({ node }) => ({ line: file.line(node), text: file.source(node) }));
}

function documentation(file: PythonFile): Prose[] {
  return file
    .all('String')
    .filter(({ node }) => node.parent?.name === 'ExpressionStatement')
    .map(({ node }) => ({ line: file.line(node), text: stringValue(node, file.text) ?? '' }));
}

function paragraphs(bytes: Buffer): Prose[] {
  const found: Prose[] = [];
  let line = 1;
  for (const text of bytes.toString('utf8').split(/\n[ \t]*\n/)) {
    if (text.trim() !== '') found.push({ line, text });
    line += (text.match(/\n/g)?.length ?? 0) + 2;
  }
  return found;
}
