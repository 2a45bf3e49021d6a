import type { ScreenedFile } from './detector.ts';
import { namesOf, type PythonFile } from './python-names.ts';
import { MAX_PARSED_BYTES, parsePython } from './python-syntax.ts';

/** How much is parsed of one hand-in, and of one workspace: about a second of work. */
export const MAX_PARSED_TOTAL = 1024 * 1024;

/** Which of some files are Python and were read as such; the small ones come first, so that no bulk hides them. */
export interface PythonFiles {
  find(file: ScreenedFile): PythonFile | null;
  readonly unread: readonly ScreenedFile[];
}

/** Parses each Python file once, within bounds that count bytes, so that the same files give the same result everywhere. */
export function readPythonFiles(files: readonly ScreenedFile[]): PythonFiles {
  const parsed = new Map<ScreenedFile, PythonFile | null>();
  const unread: ScreenedFile[] = [];
  let left = MAX_PARSED_TOTAL;
  for (const file of files.filter(isPython).toSorted(smallestFirst)) {
    if (file.bytes.length > Math.min(left, MAX_PARSED_BYTES)) {
      unread.push(file);
      continue;
    }
    left -= file.bytes.length;
    parsed.set(file, readPythonFile(file));
  }
  return { find: (file) => parsed.get(file) ?? null, unread };
}

function readPythonFile({ path, bytes }: ScreenedFile): PythonFile | null {
  const tree = parsePython(
    bytes
      .toString('utf8')
      .replace(/^\ufeff/, '')
      .replaceAll('\r\n', '\n'),
  );
  return tree === null ? null : { path, ...tree, ...namesOf(tree) };
}

function isPython({ path, bytes }: ScreenedFile): boolean {
  return /\.pyw?$/.test(path) || /^#![^\n]{0,100}python/.test(bytes.toString('latin1', 0, 120));
}

function smallestFirst(a: ScreenedFile, b: ScreenedFile): number {
  return a.bytes.length - b.bytes.length || (a.path < b.path ? -1 : 1);
}
