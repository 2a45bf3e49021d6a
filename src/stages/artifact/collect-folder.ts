import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, readlink } from 'node:fs/promises';
import { posix } from 'node:path';
import { O_PATH, openFolder, readBeneath, readMarked, within } from '../../platform/base/beneath.ts';
import { errnoOf, ProctorError } from '../../platform/base/errors.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { ArtifactRules } from '../task/task.ts';
import type { Manifest } from './artifact.ts';
import { compileRules, type PathRuling } from './artifact-rules.ts';
import { buildManifest, type ManifestBuilder, Refused } from './manifest-builder.ts';

/** Entries that are looked at in all, whether they cross or not. */
const MAX_ENTRIES = 100_000;
const SETUID_SETGID = 0o6000;

interface Walk {
  readonly root: string;
  readonly device: number;
  readonly rules: ArtifactRules;
  readonly ruling: (path: string) => PathRuling;
  readonly manifest: ManifestBuilder;
  readonly blobs: Blobs;
  entries: number;
}

/**
 * Collects what a task declares from a workspace that may be hostile. Every component is opened relative to its parent
 * and without following links; each file is first named by an O_PATH descriptor and read through that same inode only
 * when it is regular, so nothing that is swapped, special or outside is ever opened.
 */
export async function collectFolder(folder: string, rules: ArtifactRules, blobs: Blobs): Promise<Manifest> {
  const root = await openFolder(folder).catch((thrown) => {
    throw new ProctorError('not-found', `${folder} is not a folder`, {}, { cause: thrown });
  });
  const manifest = buildManifest(rules);
  try {
    const { dev: device } = await root.stat();
    const walk: Walk = { root: folder, device, rules, ruling: compileRules(rules), manifest, blobs, entries: 0 };
    await visitFolder(walk, root, []);
    return manifest.finish(null);
  } catch (thrown) {
    if (thrown instanceof Refused) return manifest.finish(thrown);
    throw thrown;
  } finally {
    await root.close();
  }
}

async function visitFolder(walk: Walk, folder: FileHandle, parents: readonly string[]): Promise<void> {
  const names = await readdir(`/proc/self/fd/${folder.fd}`, { encoding: 'buffer' });
  for (const name of names.sort(Buffer.compare)) {
    walk.entries += 1;
    if (walk.entries > MAX_ENTRIES) throw new Refused('too-many-entries', `more than ${MAX_ENTRIES} entries`);
    const text = name.toString('utf8');
    if (isOdd(name, text)) walk.manifest.leave([...parents, text].join('/'), 'odd-name');
    else await visitEntry(walk, { folder, name, segments: [...parents, text] });
  }
}

interface Entry {
  readonly folder: FileHandle;
  readonly name: Buffer;
  readonly segments: readonly string[];
}

async function visitEntry(walk: Walk, entry: Entry): Promise<void> {
  const path = entry.segments.join('/');
  const ruling = walk.ruling(path);
  const marker = await openMarker(entry);
  if (marker === 'vanished') return walk.manifest.leave(path, 'changed-while-read', 'it vanished');
  if (marker === 'unreadable') return walk.manifest.leave(path, 'unreadable');
  try {
    const facts = await marker.stat();
    if (ruling === 'rubbish') return walk.manifest.leave(path, 'rubbish');
    if (facts.isSymbolicLink()) return await visitLink(walk, entry, ruling);
    if (facts.dev !== walk.device) return walk.manifest.leave(path, 'other-device');
    if (facts.isDirectory()) return await enterFolder(walk, marker, entry.segments);
    if (!facts.isFile()) return walk.manifest.leave(path, 'special-file');
    if ((facts.mode & SETUID_SETGID) !== 0) walk.manifest.leave(path, 'setuid-dropped');
    if (ruling !== 'crosses') return walk.manifest.leave(path, ruling);
    await takeFile(walk, { path, marker, facts });
  } finally {
    await marker.close();
  }
}

function openMarker({ folder, name }: Entry): Promise<FileHandle | 'vanished' | 'unreadable'> {
  const path = within(folder, name) as unknown as string;
  return open(path, O_PATH | constants.O_NOFOLLOW).catch((thrown) => {
    if (errnoOf(thrown) === 'ENOENT') return 'vanished';
    if (errnoOf(thrown) === 'EACCES') return 'unreadable';
    throw thrown;
  });
}

async function enterFolder(walk: Walk, marker: FileHandle, segments: readonly string[]): Promise<void> {
  if (segments.length > walk.rules.max_depth) {
    throw new Refused('too-deep', `folders are nested deeper than ${walk.rules.max_depth}`);
  }
  const folder = await openMarked(marker);
  if (folder === null) return walk.manifest.leave(segments.join('/'), 'unreadable');
  try {
    await visitFolder(walk, folder, segments);
  } finally {
    await folder.close();
  }
}

function openMarked(marker: FileHandle): Promise<FileHandle | null> {
  return open(`/proc/self/fd/${marker.fd}`, constants.O_RDONLY | constants.O_DIRECTORY).catch(nullIfUnreadable);
}

/** Root reads everything; another user may meet what the agent closed to it. */
function nullIfUnreadable(thrown: unknown): null {
  if (errnoOf(thrown) === 'EACCES') return null;
  throw thrown;
}

async function takeFile(walk: Walk, file: { path: string; marker: FileHandle; facts: Stats }): Promise<void> {
  const { path, marker, facts } = file;
  walk.manifest.admit(path, facts.size);
  const read = await readMarked(marker, walk.rules.max_file_bytes).catch(nullIfUnreadable);
  if (read === null) return walk.manifest.leave(path, 'unreadable');
  const after = await marker.stat();
  const same = read.kind === 'file' && read.bytes.length === facts.size && after.mtimeMs === facts.mtimeMs;
  if (!same) return walk.manifest.leave(path, 'changed-while-read');
  const blob = await walk.blobs.put(read.bytes);
  walk.manifest.add({ path, mode: facts.mode, size: read.bytes.length, blob });
}

/** A link that stays beneath the root is left behind, or stands for its file where the task says so. */
async function visitLink(walk: Walk, entry: Entry, ruling: PathRuling): Promise<void> {
  const path = entry.segments.join('/');
  const target = await readlink(within(entry.folder, entry.name) as unknown as string).catch(() => null);
  if (target === null) return walk.manifest.leave(path, 'changed-while-read', 'it is no link any more');
  const resolved = posix.normalize(posix.join(posix.dirname(path), target)).replace(/\/$/, '');
  const escapes = target.startsWith('/') || resolved === '..' || resolved.startsWith('../');
  if (escapes) return walk.manifest.leave(path, 'link-escapes', target);
  const asked = walk.rules.links === 'follow-inside' && ruling === 'crosses' && resolved !== '.';
  const read = asked ? await readLinked(walk, resolved) : null;
  if (read === null) return walk.manifest.leave(path, 'link-inside', target);
  walk.manifest.admit(path, read.bytes.length);
  const blob = await walk.blobs.put(read.bytes);
  walk.manifest.add({ path, mode: read.mode, size: read.bytes.length, blob });
}

/** The file that a link names, or null when it names anything else or nothing that can be opened. */
async function readLinked(walk: Walk, path: string) {
  const read = await readBeneath(walk.root, path, { maxBytes: walk.rules.max_file_bytes }).catch((thrown) => {
    if (errnoOf(thrown) === 'ENAMETOOLONG' || errnoOf(thrown) === 'EACCES') return null;
    throw thrown;
  });
  return read?.kind === 'file' ? read : null;
}

/** Names that are not UTF-8 or hold control characters: nothing honest needs them, and logs and screens suffer. */
function isOdd(name: Buffer, text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  return !Buffer.from(text, 'utf8').equals(name) || /[\u0000-\u001f\u007f]/.test(text);
}
