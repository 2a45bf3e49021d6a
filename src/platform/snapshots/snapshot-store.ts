import { statSync } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DIGEST_PATTERN, type Digest, digestOf, digestSchema } from '../base/digest.ts';
import { errnoOf, ProctorError } from '../base/errors.ts';
import type { Snapshot, Snapshots } from './snapshots.ts';
import { treeDigest } from './tree-digest.ts';

const NAME_PATTERN = /^[a-z][a-z0-9-]{0,40}$/;

const recordSchema = z.object({
  name: z.string().regex(NAME_PATTERN),
  digest: digestSchema,
  builtAt: z.string(),
});

/**
 * Snapshots in a folder: `NAME.json` names a digest, `trees/HEX/` is the tree. A tree is compared with its digest
 * the first time that this process uses it; sandboxes see it read-only.
 */
export function openSnapshots(folder: string): Snapshots {
  const verified = new Map<string, Promise<void>>();
  const verifyOnce = async (name: string, digest: Digest) => {
    const checking = verified.get(digest) ?? verify(folder, name, digest);
    verified.set(digest, checking);
    checking.catch(() => verified.delete(digest));
    await checking;
    return describeTree(folder, name, digest);
  };
  return {
    async resolve(nameOrDigest) {
      if (nameOrDigest === 'host') return hostSnapshot();
      if (DIGEST_PATTERN.test(nameOrDigest)) return verifyOnce(nameOrDigest, nameOrDigest as Digest);
      const record = await readRecord(folder, nameOrDigest);
      return verifyOnce(record.name, record.digest);
    },
    async list() {
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
      const records = await Promise.all(names.map((name) => readRecord(folder, name.slice(0, -'.json'.length))));
      const stored = records.map((record) => describeTree(folder, record.name, record.digest));
      return [await hostSnapshot(), ...stored];
    },
  };
}

/** Moves a finished tree to its place and lets the name point at it. */
export async function storeSnapshot(folder: string, snapshot: { name: string; tree: string }): Promise<Snapshot> {
  const digest = await treeDigest(snapshot.tree);
  const described = describeTree(folder, snapshot.name, digest);
  await mkdir(join(folder, 'trees'), { recursive: true, mode: 0o755 });
  await rename(snapshot.tree, treePath(folder, digest)).catch((thrown) => {
    if (errnoOf(thrown) !== 'ENOTEMPTY' && errnoOf(thrown) !== 'EEXIST') throw thrown;
  });
  const record = { name: snapshot.name, digest, builtAt: new Date().toISOString() };
  await writeFile(join(folder, `${snapshot.name}.json.new`), `${JSON.stringify(record)}\n`);
  await rename(join(folder, `${snapshot.name}.json.new`), join(folder, `${snapshot.name}.json`));
  return described;
}

async function verify(folder: string, name: string, digest: Digest): Promise<void> {
  const path = treePath(folder, digest);
  let found: Digest;
  try {
    await access(path);
    found = await treeDigest(path);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown;
    throw new ProctorError('snapshot-missing', `the snapshot ${digest} is not on this machine`, { digest });
  }
  if (found === digest) return;
  throw new ProctorError('digest-mismatch', `the snapshot ${name} was changed after it was built`, { digest, found });
}

async function readRecord(folder: string, name: string): Promise<z.infer<typeof recordSchema>> {
  if (!NAME_PATTERN.test(name)) throw new ProctorError('snapshot-missing', `${JSON.stringify(name)} names no snapshot`);
  try {
    return recordSchema.parse(JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')));
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') {
      throw new ProctorError(
        'snapshot-missing',
        `the record of the snapshot ${name} is damaged; build it again`,
        {},
        { cause: thrown },
      );
    }
    throw new ProctorError(
      'snapshot-missing',
      `no snapshot ${name} is built here; run: proctor snapshot build ${name}`,
    );
  }
}

const PACKAGES = '/var/lib/dpkg/status';
let known: { readonly mark: string; readonly snapshot: Snapshot } | null = null;

/** The host's own /usr. Its digest tells two package sets apart; it does not pin their bytes. Read again when the list was changed. */
async function hostSnapshot(): Promise<Snapshot> {
  const facts = statSync(PACKAGES, { throwIfNoEntry: false });
  const mark = `${facts?.ino} ${facts?.size} ${facts?.mtimeMs} ${facts?.ctimeMs}`;
  if (known?.mark === mark) return known.snapshot;
  const packages = await readFile(PACKAGES).catch(() => Buffer.from('no package list'));
  const snapshot: Snapshot = { name: 'host', digest: digestOf(packages), pinned: false, root: { kind: 'host' } };
  known = { mark, snapshot };
  return snapshot;
}

function describeTree(folder: string, name: string, digest: Digest): Snapshot {
  return { name, digest, pinned: true, root: { kind: 'directory', path: treePath(folder, digest), digest } };
}

function treePath(folder: string, digest: Digest): string {
  return join(folder, 'trees', digest.slice('sha256:'.length));
}
