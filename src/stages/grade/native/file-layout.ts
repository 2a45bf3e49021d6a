import type { TaskFile } from '../../task/task.ts';
import type { HiddenFiles } from './hidden-files.ts';
import { drawWords, freshName, type Layout, type Meaning, type PlacedTwin, shuffled } from './layout.ts';

/** How a runner names its tests: `<file><separator><name in the file>`. */
export interface FileNaming {
  readonly separator: string;
  readonly isTest: (path: string) => boolean;
  /** A test file's name made of words, which the runner finds as it found `name`. */
  readonly rename: (name: string, words: readonly string[]) => string;
}

/** What a name in a file means, where not all names are the file's own. */
export interface FileNames {
  meaningOf(name: string): { readonly of: string } | { readonly twin: PlacedTwin } | null;
  readonly twins: readonly PlacedTwin[];
}

/** Places test files under drawn names, those with must-fail twins among them, in a drawn order. */
export function layFiles(
  { tests, twinFiles, declared }: HiddenFiles,
  naming: FileNaming,
  renamed: ReadonlyMap<string, FileNames> = new Map(),
): Layout {
  const taken = new Set([...tests, ...twinFiles].map(({ path }) => path));
  const names = new Map<string, (name: string) => Meaning>();
  const files: TaskFile[] = [];
  const testFiles: string[] = [];
  const twins = [...renamed.values()].flatMap((file) => file.twins);
  const place = (file: TaskFile, meaning: (name: string) => Meaning) => {
    const path = freshName(taken, (words) => beside(file.path, (name) => naming.rename(name, words)));
    names.set(path, meaning);
    files.push({ ...file, path });
    testFiles.push(path);
  };
  for (const file of tests) {
    if (!naming.isTest(file.path)) files.push(file);
    else place(file, ofOriginal(file.path, naming.separator, renamed.get(file.path)));
  }
  for (const file of twinFiles) {
    const mine = new Map(declared.filter((twin) => twin.file === file.path).map(({ id, of }) => [id, { of }]));
    twins.push(...mine.values());
    place(file, (name) => {
      const twin = mine.get(name);
      return twin === undefined ? { kind: 'ignored' } : { kind: 'twin', twin };
    });
  }
  return {
    folder: drawWords(3).join('-'),
    files,
    testFiles: shuffled(testFiles),
    twins,
    meaningOf: (id) => {
      const at = id.indexOf(naming.separator);
      const meaning = at === -1 ? undefined : names.get(id.slice(0, at));
      const name = id.slice(at + naming.separator.length);
      if (meaning !== undefined && name === '') return { kind: 'file' };
      return meaning?.(name) ?? { kind: 'unknown' };
    },
  };
}

function ofOriginal(path: string, separator: string, renamed: FileNames | undefined): (name: string) => Meaning {
  return (name) => {
    const known = renamed === undefined ? { of: name } : renamed.meaningOf(name);
    if (known === null) return { kind: 'unknown' };
    return 'twin' in known
      ? { kind: 'twin', twin: known.twin }
      : { kind: 'test', id: `${path}${separator}${known.of}` };
  };
}

function beside(path: string, rename: (name: string) => string): string {
  const at = path.lastIndexOf('/') + 1;
  return `${path.slice(0, at)}${rename(path.slice(at))}`;
}
