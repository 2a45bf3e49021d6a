import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { digestOf } from '../../platform/base/digest.ts';
import { openFileBlobs } from '../../platform/blobs/file-blobs.ts';
import { proctorSchema } from '../task/task.ts';
import type { Manifest } from './artifact.ts';
import { collectFolder } from './collect-folder.ts';

const [FEWEST_ROUNDS, MOST_ROUNDS] = [300, 1_500];
const SECRET = 'a secret outside of the workspace';

/**
 * Swaps, without pause and in another process, a file for a link to the secret, and a folder for a link to the secret's
 * folder; each appears whole at its name, as an attacker would do it.
 */
const SWAPPER = `
import os, sys
root, outside = sys.argv[1:3]
os.chdir(root)
os.mkdir("spare")
open("spare/secret", "w").write("harmless")
print("ready", flush=True)
while True:
    os.symlink(outside + "/secret", ".new"); os.rename(".new", "file")
    os.rename("folder", ".old"); os.symlink(outside, "folder")
    open(".new", "w").write("harmless"); os.rename(".new", "file")
    os.unlink("folder"); os.rename(".old", "folder")
`;

async function startSwapper(root: string, outside: string): Promise<void> {
  const child = spawn('/usr/bin/python3', ['-I', '-c', SWAPPER, root, outside], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
}

test.each(['drop', 'follow-inside'] as const)(
  'nothing from outside crosses while files and folders are swapped for links (%s)',
  async (links) => {
    const scratch = await scratchFolder();
    onTestFinished(scratch.dispose);
    const [root, outside] = [join(scratch.path, 'root'), join(scratch.path, 'outside')];
    for (const folder of [join(root, 'folder'), outside]) await mkdir(folder, { recursive: true });
    await writeFile(join(outside, 'secret'), SECRET);
    await writeFile(join(root, 'folder/secret'), 'harmless');
    const blobs = await openFileBlobs(join(scratch.path, 'blobs'));
    const artifact = { links, exclude: ['.*', 'spare/**'] };
    const rules = proctorSchema.parse({ grader: 'stdio', stdio: { command: ['true'] }, artifact }).artifact;
    await startSwapper(root, outside);

    const crossed = new Map<string, Set<string>>();
    const left = new Set<string>();
    const note = (manifest: Manifest) => {
      for (const { path, blob } of manifest.files) crossed.set(path, (crossed.get(path) ?? new Set()).add(blob));
      for (const { path, reason } of manifest.leftBehind) left.add(`${path} ${reason}`);
    };
    const sawBoth = () => crossed.has('file') && left.has('"file" link-escapes') && left.has('"folder" link-escapes');
    for (let round = 0; round < FEWEST_ROUNDS || (round < MOST_ROUNDS && !sawBoth()); round++) {
      await collectFolder(root, rules, blobs).then(note); // one that fails hands out nothing
    }
    expect(sawBoth()).toBe(true); // the swaps did happen under the collector's eyes
    expect(await blobs.has(digestOf(SECRET))).toBe(false);
    const allowed: string[] = [digestOf('harmless'), digestOf('')]; // empty while the swapper writes it
    expect([...crossed].filter(([, found]) => [...found].some((blob) => !allowed.includes(blob)))).toEqual([]);
  },
);
