import { isUtf8 } from 'node:buffer';
import {
  type Detector,
  type Finding,
  findInSolution,
  type ScreenedFile,
  type ScreenInput,
  signalsOf,
} from '../detector.ts';
import { readPlainCode } from '../plain-code.ts';
import type { PythonFile } from '../python-names.ts';
import type { Signal } from '../signal.ts';
import { zeroWidthIn } from '../zero-width.ts';

/** UTF-8 of the controls that reorder what a reader sees: U+202A to U+202E, U+2066 to U+2069 (embeddings, overrides, isolates). */
const BIDI_CONTROL = /\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]/;

/** A letter with something invisible behind it; before or between other signs it may be part of a pattern. */
const IN_NAME = /[\p{L}\p{M}\w$][\u200b-\u200d\u2060-\u2064\u180e\ufeff\u{e0000}-\u{e007f}]+/gu;

/**
 * Text that reads differently from what runs. Right-to-left letters alone are ordinary. Bytes are searched, so that no
 * odd byte covers the controls; in what is no text they may stand by chance, which is a note. Invisible characters count in
 * names and comments of code only: in strings they are data, and in joined emoji or Persian they are spelling.
 */
export const hiddenText: Detector = {
  name: 'hidden-text',
  detect(input) {
    const found = input.files.flatMap((file) => {
      const line = file.bytes
        .toString('latin1')
        .split('\n')
        .findIndex((content) => BIDI_CONTROL.test(content));
      return line === -1 ? [] : [{ file, detail: `line ${line + 1} holds bidirectional control characters` }];
    });
    const signal = (severity: Signal['severity'], of: typeof found) => ({
      severity,
      summary: 'files show readers something else than what they hold',
      evidence: of.map(({ file, detail }) => ({ path: file.path, detail })),
    });
    const texts = found.filter(({ file }) => isText(file));
    const others = found.filter(({ file }) => !isText(file));
    return [
      ...(texts.length > 0 ? [signal('suspect', texts)] : []),
      ...(others.length > 0 ? [signal('note', others)] : []),
      ...signalsOf(
        findInSolution(input, (file) => invisible(input, file)),
        'names or comments of code hold characters that nobody sees',
      ),
    ];
  },
};

function isText({ bytes }: ScreenedFile): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

function invisible(input: ScreenInput, file: ScreenedFile): readonly Finding[] {
  const python = input.python(file);
  if (python !== null) return [...inComments(file, pythonComments(python)), ...inNames(file, python)];
  const plain = readPlainCode(file);
  if (plain === null) return [];
  const comments = plain.comments.map(({ at, text }) => ({ text, line: () => plain.line(at) }));
  const inCode = (plain.code.match(IN_NAME) ?? []).some((name) => zeroWidthIn(name).count > 0);
  const what = 'a name with invisible characters';
  return [
    ...inComments(file, comments),
    ...(inCode ? [{ severity: 'suspect', path: file.path, line: 0, what } as const] : []),
  ];
}

interface Comment {
  readonly text: string;
  readonly line: () => number;
}

function pythonComments(python: PythonFile): readonly Comment[] {
  return python.all('Comment').map(({ node }) => ({ text: python.source(node), line: () => python.line(node) }));
}

function inComments({ path }: ScreenedFile, comments: readonly Comment[]): readonly Finding[] {
  return comments.flatMap(({ text, line }): Finding[] => {
    const { count, message } = zeroWidthIn(text);
    const what = `${count} invisible character(s) in a comment`;
    return count === 0 ? [] : [{ severity: message ? 'suspect' : 'note', path, line: line(), what }];
  });
}

function inNames({ path }: ScreenedFile, python: PythonFile): readonly Finding[] {
  const named = python.all('VariableName').find(({ node }) => zeroWidthIn(python.source(node)).count > 0);
  if (named === undefined) return [];
  return [{ severity: 'suspect', path, line: python.line(named.node), what: 'a name with invisible characters' }];
}
