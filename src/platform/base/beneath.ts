import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { errnoOf, ProctorError } from './errors.ts';

/** Linux's O_PATH, which Node does not name: a descriptor that names a file without opening it (open(2)). */
export const O_PATH = 0o10000000;

const { O_NOFOLLOW, O_DIRECTORY, O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NONBLOCK } = constants;

/** What stood at a path that was read without following links. */
export type ReadOutcome =
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly mode: number }
  | { readonly kind: 'missing' | 'not-a-file' | 'too-large' };

/** The path of a name inside an open folder; the kernel resolves it from the descriptor, so no parent can be swapped. */
export function within(folder: FileHandle, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${folder.fd}/`), name]);
}

/** Opens a folder without following a link in its last component. */
export function openFolder(path: Buffer | string): Promise<FileHandle> {
  return open(path as string, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/** Splits a relative path and refuses what could leave the root: empty, `.`, `..`, absolute, NUL. */
export function safeSegments(relativePath: string): readonly string[] {
  const segments = relativePath.split('/');
  const bad = segments.find((part) => part === '' || part === '.' || part === '..' || part.includes('\0'));
  if (bad !== undefined) throw new ProctorError('bad-request', `not a path beneath the root: ${quoted(relativePath)}`);
  return segments;
}

/** A hostile name made readable: control and bidirectional characters escaped, at most 200 characters. */
export function quoted(name: string): string {
  const short = name.length > 200 ? `${name.slice(0, 200)}…` : name;
  return JSON.stringify(short).replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Reads a regular file beneath `root` without following any link and without opening anything else. */
export async function readBeneath(root: string, path: string, bounds: { maxBytes: number }): Promise<ReadOutcome> {
  try {
    return await withParent(root, path, async (folder, name) => {
      const marker = await open(within(folder, name) as unknown as string, O_PATH | O_NOFOLLOW);
      try {
        return await readMarked(marker, bounds.maxBytes);
      } finally {
        await marker.close();
      }
    });
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === 'ENOENT') return { kind: 'missing' };
    if (code === 'ELOOP' || code === 'ENOTDIR') return { kind: 'not-a-file' };
    throw thrown;
  }
}

/** Reads the file that an O_PATH descriptor names: the same inode, and only when it is a regular file within bounds. */
export async function readMarked(marker: FileHandle, maxBytes: number): Promise<ReadOutcome> {
  const facts = await marker.stat();
  if (!facts.isFile()) return { kind: 'not-a-file' };
  if (facts.size > maxBytes) return { kind: 'too-large' };
  const file = await open(`/proc/self/fd/${marker.fd}`, O_RDONLY | O_NONBLOCK);
  try {
    const bytes = await readUpTo(file, maxBytes + 1);
    return bytes.length > maxBytes ? { kind: 'too-large' } : { kind: 'file', bytes, mode: facts.mode };
  } finally {
    await file.close();
  }
}

/** Writes a file beneath `root`, making folders on the way; never writes through a link. `owner` is a uid and gid. */
export async function writeBeneath(root: string, path: string, file: NewFile): Promise<void> {
  await withParent(root, path, (folder, name) => placeFile(folder, name, file), file.owner ?? 'none');
}

/** Removes a file or link beneath `root`; a folder of that name stays, and so does everything a link points at. */
export async function removeBeneath(root: string, path: string): Promise<void> {
  try {
    await withParent(root, path, (folder, name) => unlink(within(folder, name) as unknown as string));
  } catch (thrown) {
    if (!['ENOENT', 'EISDIR', 'EPERM', 'ENOTDIR', 'ELOOP'].includes(errnoOf(thrown) ?? '')) throw thrown;
  }
}

/** One name in a folder; `size` in bytes, of regular files only. */
export interface FolderEntry {
  /** Bytes that are no UTF-8 are replaced. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number | null;
}

/** Lists a folder beneath `root` (`''` is the root itself) without following any link: the first `most` names by their bytes, and how many more there are. */
export async function listBeneath(
  root: string,
  path: string,
  { most }: { most: number },
): Promise<{ readonly entries: readonly FolderEntry[]; readonly more: number }> {
  const list = async (folder: FileHandle) => {
    const names = (await readdir(`/proc/self/fd/${folder.fd}`, { encoding: 'buffer' })).sort(Buffer.compare);
    const entries: FolderEntry[] = [];
    for (const name of names.slice(0, most)) entries.push(await describeEntry(folder, name));
    return { entries, more: Math.max(0, names.length - most) };
  };
  if (path !== '') return withParent(root, `${path}/x`, list);
  const folder = await openFolder(root);
  return list(folder).finally(() => folder.close());
}

async function describeEntry(folder: FileHandle, name: Buffer): Promise<FolderEntry> {
  const facts = await lstat(within(folder, name)).catch(() => null); // it may be gone by now
  const kind = facts?.isFile() ? 'file' : facts?.isDirectory() ? 'folder' : facts?.isSymbolicLink() ? 'link' : 'other';
  return { name: name.toString('utf8'), kind, size: kind === 'file' ? (facts?.size ?? null) : null };
}

/** A file to be written. */
export interface NewFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
  readonly owner?: number;
}

async function placeFile(folder: FileHandle, name: Buffer, file: NewFile): Promise<void> {
  const target = within(folder, name) as unknown as string;
  const create = () => open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, file.mode);
  const handle = await create().catch(async (thrown) => {
    if (errnoOf(thrown) !== 'EEXIST') throw thrown;
    await unlink(target);
    return create();
  });
  try {
    await handle.writeFile(file.bytes);
    await handle.chmod(file.mode);
    if (file.owner !== undefined) await handle.chown(file.owner, file.owner);
  } finally {
    await handle.close();
  }
}

/** Opens each parent relative to the one before; with `makeAs`, missing folders are made (owned by that uid). */
async function withParent<T>(
  root: string,
  path: string,
  ...rest: [use: (folder: FileHandle, name: Buffer) => Promise<T>, makeAs?: number | 'none']
): Promise<T> {
  const [use, makeAs] = rest;
  const segments = safeSegments(path).map((part) => Buffer.from(part));
  let folder = await openFolder(root);
  try {
    for (const segment of segments.slice(0, -1)) {
      const next = await openChild(folder, segment, makeAs);
      await folder.close();
      folder = next;
    }
    return await use(folder, segments.at(-1) as Buffer);
  } finally {
    await folder.close();
  }
}

async function openChild(folder: FileHandle, name: Buffer, makeAs?: number | 'none'): Promise<FileHandle> {
  const path = within(folder, name);
  if (makeAs === undefined) return openFolder(path);
  const made = await mkdir(path as unknown as string, 0o755).then(
    () => true,
    (thrown) => {
      if (errnoOf(thrown) !== 'EEXIST') throw thrown;
      return false;
    },
  );
  const child = await openFolder(path);
  if (made && makeAs !== 'none') await child.chown(makeAs, makeAs);
  return child;
}

async function readUpTo(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let total = 0;
  while (total < maxBytes) {
    const chunk = Buffer.allocUnsafe(Math.min(65_536, maxBytes - total));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    parts.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(parts);
}

/** Errors of the file system that hostile content of a folder can cause, and nothing else does there. */
const CAUSED_BY_CONTENT = [
  ...['EISDIR', 'ENOTDIR', 'ELOOP', 'EPERM', 'EACCES', 'ENOENT', 'EEXIST', 'ENOTEMPTY'],
  ...['ENOSPC', 'EDQUOT', 'EFBIG', 'ENAMETOOLONG', 'EINVAL', 'ETXTBSY'],
];

/** The code of an error that the content of a folder has caused; anything else is thrown on. */
export function codeByContent(thrown: unknown): string {
  const code = errnoOf(thrown instanceof ProctorError ? thrown.cause : thrown) ?? '';
  if (CAUSED_BY_CONTENT.includes(code)) return code;
  throw thrown;
}
