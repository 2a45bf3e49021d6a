import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { errnoOf, ProctorError } from '../base/errors.ts';
import { storeSnapshot } from './snapshot-store.ts';
import type { Snapshot } from './snapshots.ts';

const recipeSchema = z.strictObject({
  about: z.string(),
  suite: z.string().regex(/^[a-z]+$/),
  packages: z.array(z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/)).min(1),
});

/** What differs from build to build, or grows when used, and no sandbox needs. */
const LEFT_OUT = [
  ...['var/cache', 'var/log', 'var/lib/apt', 'var/lib/dpkg/info', 'var/lib/systemd', 'usr/share/doc', 'usr/share/man'],
  ...['usr/share/locale', 'etc/machine-id', 'etc/hostname', 'etc/resolv.conf', 'dev', 'proc', 'sys', 'run', 'tmp'],
];
/** Folders that sandboxes mount things on. */
const MOUNT_POINTS = ['dev', 'proc', 'tmp', 'work', 'proctor', 'run', 'sys'];

/**
 * Builds a snapshot from `RECIPES/NAME.toml` with mmdebstrap, from the Debian mirror that this machine uses.
 * `not-found` for an unknown recipe; `capability-missing` without root or mmdebstrap; `sandbox-failed` when it fails.
 */
export async function buildSnapshot(build: {
  name: string;
  recipeFolder: string;
  snapshotFolder: string;
}): Promise<Snapshot> {
  const recipe = await readRecipe(build);
  if (process.getuid?.() !== 0)
    throw new ProctorError('capability-missing', 'building a snapshot needs root: run it with sudo');
  await mkdir(build.snapshotFolder, { recursive: true, mode: 0o755 });
  const scratch = await mkdtemp(join(build.snapshotFolder, 'building-'));
  try {
    const tree = join(scratch, 'tree');
    await runMmdebstrap(recipe, tree);
    for (const path of LEFT_OUT) await rm(join(tree, path), { recursive: true, force: true });
    for (const name of MOUNT_POINTS) await mkdir(join(tree, name), { recursive: true, mode: 0o755 });
    return await storeSnapshot(build.snapshotFolder, { name: build.name, tree });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Names of the recipes in a folder. */
export async function listRecipes(recipeFolder: string): Promise<readonly string[]> {
  const names = await readdir(recipeFolder);
  return names.filter((name) => name.endsWith('.toml')).map((name) => name.slice(0, -'.toml'.length));
}

async function readRecipe(build: { name: string; recipeFolder: string }): Promise<z.infer<typeof recipeSchema>> {
  const recipes = await listRecipes(build.recipeFolder);
  if (!recipes.includes(build.name)) {
    throw new ProctorError('not-found', `no recipe ${JSON.stringify(build.name)}; there are: ${recipes.join(', ')}`);
  }
  return recipeSchema.parse(parse(await readFile(join(build.recipeFolder, `${build.name}.toml`), 'utf8')));
}

async function runMmdebstrap(recipe: z.infer<typeof recipeSchema>, tree: string): Promise<void> {
  const args = ['--quiet', '--variant=essential', `--include=${recipe.packages.join(',')}`, recipe.suite, tree];
  const child = spawn('mmdebstrap', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2_000);
  });
  const [code] = await once(child, 'close').catch((thrown) => {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown;
    throw new ProctorError('capability-missing', 'mmdebstrap is not installed: apt-get install mmdebstrap');
  });
  if (code !== 0) throw new ProctorError('sandbox-failed', `mmdebstrap failed with ${code}: ${said.trim()}`);
}
