import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readBeneath } from '../../../platform/base/beneath.ts';
import type { WorkspaceFile } from '../../../stages/instance/instance.ts';

const MAX_FILES = 2_000;
const MAX_DEPTH = 30;
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** The regular files of a workspace, in order, without following links; what is large, special or too much is left out. */
export async function readWorkspace(folder: string): Promise<readonly WorkspaceFile[]> {
  const files: WorkspaceFile[] = [];
  for (const path of await pathsIn(folder, [])) {
    const read = await readBeneath(folder, path, { maxBytes: MAX_FILE_BYTES });
    if (read.kind === 'file') files.push({ path, mode: (read.mode & 0o100) === 0 ? 0o644 : 0o755, bytes: read.bytes });
  }
  return files;
}

async function pathsIn(root: string, parents: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await entriesOf(join(root, ...parents))) {
    const segments = [...parents, entry.name];
    if (entry.isFile()) found.push(segments.join('/'));
    if (entry.isDirectory() && segments.length < MAX_DEPTH) found.push(...(await pathsIn(root, segments)));
  }
  return found.slice(0, MAX_FILES);
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
