import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Digest, digestOf } from '../../base/digest.ts';
import { ProctorError } from '../../base/errors.ts';
import { USR_LINKS } from '../commands/program.ts';
import type { SandboxRoot } from '../sandbox.ts';
import { type Engine, statusOf } from './engine.ts';

const REPOSITORY = 'proctor';
/** How images are made of trees: to be changed with it, so that none of an earlier version serves. */
const FORMAT = 'v1';
/** How long a tree of some gigabytes may take. */
const IMPORT_MS = 600_000;
/** Folders that containers have something mounted on. */
const MOUNT_POINTS = ['dev', 'etc', 'proc', 'proctor', 'sys', 'tmp', 'usr', 'work'];

/** Images that containers start from. */
export interface Images {
  /** The id of a root's image, which names every byte of it; it is made when the engine has none. */
  of(root: SandboxRoot): Promise<string>;
}

/** Images of one engine; `etcFolder` becomes /etc of containers that show the host's own /usr. */
export function openImages(engine: Engine, etcFolder: string): Images {
  const known = new Map<string, Promise<string>>();
  return {
    of(root) {
      const key = root.kind === 'host' ? 'host' : root.digest;
      const found = known.get(key) ?? (root.kind === 'host' ? hostImage(engine, etcFolder) : treeImage(engine, root));
      known.set(key, found);
      found.catch(() => known.delete(key));
      return found;
    },
  };
}

async function treeImage(engine: Engine, root: { path: string; digest: Digest }): Promise<string> {
  const tag = `${REPOSITORY}/snapshot:${FORMAT}-${root.digest.replace('sha256:', '')}`;
  return (await idOf(engine, tag)) ?? importTree(engine, { folder: root.path, tag });
}

/** An image with nothing in it but links, places to mount on, and /etc: /usr is shown from the host. */
async function hostImage(engine: Engine, etcFolder: string): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'proctor-image-'));
  try {
    for (const name of MOUNT_POINTS) await mkdir(join(scratch, name), { mode: 0o755 });
    for (const name of USR_LINKS) await symlink(`usr/${name}`, join(scratch, name));
    await cp(etcFolder, join(scratch, 'etc'), { recursive: true, verbatimSymlinks: true });
    const tag = `${REPOSITORY}/host:${FORMAT}-${(await contentOf(scratch)).slice('sha256:'.length)}`;
    return (await idOf(engine, tag)) ?? (await importTree(engine, { folder: scratch, tag }));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Tells two hosts' images apart: names, links and what the files hold. */
async function contentOf(folder: string): Promise<Digest> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const parts = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const held = entry.isSymbolicLink() ? await readlink(path) : entry.isFile() ? digestOf(await readFile(path)) : '';
    return `${path.slice(folder.length)}\0${held}`;
  });
  return digestOf((await Promise.all(parts)).sort().join('\n'));
}

async function idOf(engine: Engine, tag: string): Promise<string | null> {
  try {
    const { Id } = await engine.ask('look for an image', (docker) => docker.getImage(tag).inspect());
    return Id;
  } catch (thrown) {
    if (statusOf(thrown) === 404) return null;
    throw thrown;
  }
}

async function importTree(engine: Engine, { folder, tag }: { folder: string; tag: string }): Promise<string> {
  const shared = await mkdtemp(join(tmpdir(), 'proctor-image-'));
  try {
    await mkdir(join(shared, 'tmp'));
    await chmod(join(shared, 'tmp'), 0o1777); // what is mounted on a folder of an image takes that folder's mode
    const fault = await sendTar(engine, tag, ['--exclude=./tmp', '-C', folder, '.', '-C', shared, 'tmp']);
    const id = await idOf(engine, tag);
    if (fault === null && id !== null) return id;
    throw new ProctorError('sandbox-failed', `the image ${tag} could not be made of ${folder}: ${fault}`);
  } finally {
    await rm(shared, { recursive: true });
  }
}

/** Lets tar read and the engine take an image; what tar complained of, or null. */
async function sendTar(engine: Engine, tag: string, what: readonly string[]): Promise<string | null> {
  const [repo, version] = tag.split(':');
  const tar = spawn('tar', ['--create', '--numeric-owner', '--one-file-system', ...what], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  tar.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-500);
  });
  const ended = once(tar, 'close');
  const answer = await engine.ask(
    'import an image',
    (docker) => docker.importImage(tar.stdout, { repo, tag: version }),
    IMPORT_MS,
  );
  answer.resume();
  await once(answer, 'end');
  const [code] = await ended;
  return code === 0 ? null : `tar ended with ${code}: ${said.trim()}`;
}
