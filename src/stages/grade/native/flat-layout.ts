import type { TaskFile } from '../../task/task.ts';
import type { DeclaredTwin, HiddenFiles } from './hidden-files.ts';
import { drawWords, freshName, type Layout, type Meaning, type PlacedTwin, shuffled } from './layout.ts';

/** How a runner whose ids do not begin with a file names its tests. */
export interface FlatNaming {
  /** Whether a file holds tests; `twins` are the files of the twins folder. */
  readonly isTest: (path: string, twins: readonly string[]) => boolean;
  readonly rename: (name: string, words: readonly string[]) => string;
  /** A test's name made of words: like that of its original where ids are identifiers, else free. */
  readonly alias: (original: string, words: readonly string[]) => string;
  /** Whether originals of twins are renamed too; only where an id is an identifier and so stands for nothing else. */
  readonly renamesOriginals: boolean;
  /** The test that a part of it belongs to (`TestX` of `TestX/part`). */
  readonly whole: (id: string) => string;
}

interface Names {
  readonly originals: ReadonlyMap<string, string>;
  /** Originals that have another name. */
  readonly renamed: ReadonlySet<string>;
  readonly twins: ReadonlyMap<string, PlacedTwin>;
  /** What each name in a file becomes. */
  readonly replaced: (file: string | null) => ReadonlyMap<string, string>;
}

/** Places test files under drawn names and gives twins, and where it can their originals, drawn names. */
export function layFlat(
  { tests, twinFiles, declared }: HiddenFiles,
  naming: FlatNaming,
  required: readonly string[],
): Layout {
  const names = drawNames(declared, naming, required);
  const taken = new Set([...tests, ...twinFiles].map(({ path }) => path));
  const twinPaths = twinFiles.map(({ path }) => path);
  const place = (file: TaskFile, from: string | null): TaskFile => {
    if (from === null && !naming.isTest(file.path, twinPaths)) return file;
    const at = file.path.lastIndexOf('/') + 1;
    const path = freshName(taken, (words) => file.path.slice(0, at) + naming.rename(file.path.slice(at), words));
    return { ...file, path, bytes: rewrite(file.bytes, names.replaced(from)) };
  };
  const originals = tests.map((file) => place(file, null));
  const placedTwins = twinFiles.map((file) => place(file, file.path));
  const files = [...originals, ...placedTwins];
  const texts = files.map(({ bytes }) => bytes.toString('utf8'));
  return {
    folder: drawWords(3).join('-'),
    files,
    testFiles: shuffled(
      files
        .filter(({ path }) =>
          naming.isTest(
            path,
            placedTwins.map((twin) => twin.path),
          ),
        )
        .map(({ path }) => path),
    ),
    twins: [...names.twins.values()],
    meaningOf: (id) => meaningOf(id, { names, naming, required, texts }),
  };
}

function drawNames(declared: readonly DeclaredTwin[], naming: FlatNaming, required: readonly string[]): Names {
  const taken = new Set([...required, ...declared.map(({ id }) => id)]);
  const draw = (original: string) => freshName(taken, (words) => naming.alias(original, words));
  const ofs = naming.renamesOriginals ? [...new Set(declared.map(({ of }) => of))] : [];
  const newNames = new Map(ofs.map((of) => [of, draw(of)]));
  const drawn = declared.map((twin) => ({ ...twin, name: draw(twin.of) }));
  return {
    originals: new Map([...newNames].map(([of, name]) => [name, of])),
    renamed: new Set(ofs),
    twins: new Map(drawn.map(({ name, of }) => [name, { of }])),
    replaced: (from) =>
      from === null ? newNames : new Map(drawn.filter(({ file }) => file === from).map(({ id, name }) => [id, name])),
  };
}

interface Known {
  readonly names: Names;
  readonly naming: FlatNaming;
  readonly required: readonly string[];
  readonly texts: readonly string[];
}

function meaningOf(id: string, { names, naming, required, texts }: Known): Meaning {
  const twin = names.twins.get(id);
  if (twin !== undefined) return { kind: 'twin', twin };
  const whole = naming.whole(id);
  const part = id.slice(whole.length);
  const named = `${names.originals.get(whole) ?? whole}${part}`;
  if (names.renamed.has(whole)) return { kind: 'unknown' }; // it has another name in this run
  if (required.includes(named)) return { kind: 'test', id: named };
  // a test that the task has but does not require; whatever else has a name was not told by the task's tests
  const known = names.twins.has(whole) || texts.some((text) => text.includes(whole));
  return { kind: known ? 'ignored' : 'unknown' };
}

/** Replaces names where they stand alone. */
function rewrite(bytes: Buffer, replaced: ReadonlyMap<string, string>): Buffer {
  let text = bytes.toString('utf8');
  for (const [old, name] of replaced) {
    const alone = new RegExp(`(?<![A-Za-z0-9_])${literally(old)}(?![A-Za-z0-9_])`, 'g');
    text = text.replace(alone, () => name);
  }
  return replaced.size === 0 ? bytes : Buffer.from(text);
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
