import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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
  /** Has the engine looked at again for a root's image: it was not there. */
  forget(root: SandboxRoot): void;
}

/** Images of one engine; `etcFolder` becomes /etc of containers that show the host's own /usr. */
export function openImages(engine: Engine, etcFolder: string): Images {
  const known = new Map<string, Promise<string>>();
  const keyOf = (root: SandboxRoot) => (root.kind === 'host' ? 'host' : root.digest);
  return {
    forget: (root) => void known.delete(keyOf(root)),
    of(root) {
      const key = keyOf(root);
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
    const id = await sendTar(engine, ['--exclude=./tmp', '-C', folder, '.', '-C', shared, 'tmp']);
    const [repo, version] = tag.split(':') as [string, string];
    // only now: what was taken in half must never be found by its name
    await engine.ask('name an image', (docker) => docker.getImage(id).tag({ repo, tag: version }));
    return id;
  } finally {
    await rm(shared, { recursive: true });
  }
}

/** Lets tar read and the engine take an image, without a name; its id. */
async function sendTar(engine: Engine, what: readonly string[]): Promise<string> {
  const tar = spawn('tar', ['--create', '--numeric-owner', '--one-file-system', ...what], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(tar, 'close');
  ended.catch(() => undefined);
  try {
    const said = text(tar.stderr);
    const answer = await engine.ask('import an image', (docker) => docker.importImage(tar.stdout), IMPORT_MS);
    const told = await text(answer);
    const [code] = await ended;
    const id = /sha256:[0-9a-f]{64}/.exec(told)?.[0];
    if (code === 0 && id !== undefined) return id;
    throw new ProctorError('sandbox-failed', `an image could not be made: ${(await said).trim() || told.trim()}`);
  } finally {
    tar.kill();
  }
}
