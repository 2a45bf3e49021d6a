import { type RandomStream, randomStream } from '../random-stream.ts';
import { numberDrawer } from './draw-number.ts';
import type { DrawSource, Row, SpecOf } from './drawn-value.ts';
import { drawNewName } from './identifiers.ts';

type TreeSpec = SpecOf<'tree'>;

interface Folder {
  /** With a slash at its end; empty for the root. */
  readonly path: string;
  readonly depth: number;
  /** Names that stand in it already. */
  readonly taken: Set<string>;
}

/** The files of a directory tree; sizes have a stream of their own. */
export function drawTree(spec: TreeSpec, { seed, label }: DrawSource): Row[] {
  const stream = randomStream(seed, label);
  const sizeStream = randomStream(seed, `${label}/#bytes`);
  const drawSize = numberDrawer(spec.bytes);
  const { folders, leaves } = drawFolders(spec, stream);
  return Array.from({ length: spec.files }, (_, index) => {
    // no folder stays empty, or it would not be in the table
    const folder = leaves[index] ?? stream.pick(folders);
    const path = `${folder.path}${drawNewName('snake', folder.taken, stream)}${stream.pick(spec.endings)}`;
    return { path, bytes: drawSize(sizeStream) };
  });
}

/** All folders, the root first, and those without a folder in them. The first ones lead to the full depth. */
function drawFolders(spec: TreeSpec, stream: RandomStream): { folders: readonly Folder[]; leaves: readonly Folder[] } {
  const root: Folder = { path: '', depth: 0, taken: new Set() };
  const folders = [root];
  const open = spec.depth > 0 ? [root] : [];
  const parents = new Set<Folder>([root]);
  while (folders.length <= spec.folders) {
    const last = folders.at(-1) ?? root;
    const parent = folders.length <= spec.depth ? last : stream.pick(open);
    const path = `${parent.path}${drawNewName('snake', parent.taken, stream)}/`;
    const folder: Folder = { path, depth: parent.depth + 1, taken: new Set() };
    folders.push(folder);
    parents.add(parent);
    if (folder.depth < spec.depth) open.push(folder);
  }
  return { folders, leaves: folders.filter((folder) => !parents.has(folder)) };
}
