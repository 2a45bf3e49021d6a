import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Digest, digestOf } from '../base/digest.ts';
import { asProctorError, errnoOf, ProctorError } from '../base/errors.ts';
import type { Blobs } from './blobs.ts';

/** A half-written file is rubbish of a crash once it is this old. */
const STALE_MS = 3_600_000;

/**
 * Blobs as files `FOLDER/sha256/ab/cdef…`. A blob appears whole or not at all: it is written beside its place,
 * flushed, and renamed; the folder is flushed after it, so it is still there after a power cut.
 */
export async function openFileBlobs(folder: string): Promise<Blobs> {
  const temporary = join(folder, 'tmp');
  await mkdir(temporary, { recursive: true });
  await removeStale(temporary);
  const pathOf = (digest: Digest) => {
    const hex = digest.slice('sha256:'.length);
    return join(folder, 'sha256', hex.slice(0, 2), hex.slice(2));
  };
  return {
    async put(bytes) {
      const digest = digestOf(bytes);
      const path = pathOf(digest);
      if (await exists(path)) return digest;
      await writeWhole({ path, temporary: join(temporary, randomBytes(12).toString('hex')), bytes });
      return digest;
    },
    async get(digest) {
      const bytes = await readStored(pathOf(digest), digest);
      if (digestOf(bytes) === digest) return bytes;
      throw new ProctorError('digest-mismatch', `the stored bytes of ${digest} are not what was stored`, { digest });
    },
    has: (digest) => exists(pathOf(digest)),
  };
}

async function writeWhole(file: { path: string; temporary: string; bytes: Uint8Array }): Promise<void> {
  try {
    const made = await mkdir(dirname(file.path), { recursive: true });
    if (made !== undefined) await flushed(await open(dirname(made), 'r'), async () => undefined);
    await flushed(await open(file.temporary, 'wx', 0o640), (handle) => handle.writeFile(file.bytes));
    await rename(file.temporary, file.path);
    await flushed(await open(dirname(file.path), 'r'), async () => undefined);
  } catch (thrown) {
    await rm(file.temporary, { force: true }).catch(() => undefined);
    throw storageError(thrown);
  }
}

async function flushed(handle: FileHandle, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  try {
    await write(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readStored(path: string, digest: Digest): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') throw new ProctorError('not-found', `no blob ${digest} is stored`, { digest });
    throw storageError(thrown);
  }
}

function storageError(thrown: unknown): ProctorError {
  const error = asProctorError(thrown);
  if (error.code !== 'defect') return error;
  return new ProctorError('storage-failed', `blob storage: ${error.message}`, {}, { cause: thrown });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function removeStale(temporary: string): Promise<void> {
  for (const name of await readdir(temporary)) {
    const facts = await stat(join(temporary, name)).catch(() => null);
    if (facts !== null && Date.now() - facts.mtimeMs > STALE_MS) await rm(join(temporary, name), { force: true });
  }
}
