import { execFileSync } from 'node:child_process';
import { chmod, cp, link, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { treeDigest } from './tree-digest.ts';

/** A tree whose digest is written below as a literal, so that a change of the format is noticed. */
async function tree(): Promise<string> {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  const root = join(scratch.path, 'tree');
  await mkdir(join(root, 'usr/bin'), { recursive: true });
  await writeFile(join(root, 'usr/bin/tool'), '#!/bin/sh\n');
  await writeFile(join(root, 'usr/näme'), '');
  await symlink('bin/tool', join(root, 'usr/link'));
  for (const path of ['usr', 'usr/bin', 'usr/bin/tool']) await chmod(join(root, path), 0o755);
  await chmod(join(root, 'usr/näme'), 0o644);
  return root;
}

test('a known tree has a known digest', async () => {
  expect(await treeDigest(await tree())).toBe(
    'sha256:e78eab63378660d335ec4220863a708ae49e5b9a32c2d4ce7b50e01d6908d889',
  );
});

test('an empty tree has the digest of no bytes', async () => {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  expect(await treeDigest(scratch.path)).toBe(
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
});

test.each<[string, (root: string) => Promise<void>]>([
  ['a changed byte', (root) => writeFile(join(root, 'usr/bin/tool'), '#!/bin/sH\n')],
  ['a mode', (root) => chmod(join(root, 'usr/bin/tool'), 0o644)],
  ['a setuid bit', (root) => chmod(join(root, 'usr/bin/tool'), 0o4755)],
  ['the mode of a folder', (root) => chmod(join(root, 'usr/bin'), 0o777)],
  ['a new empty file', (root) => writeFile(join(root, 'usr/new'), '')],
  ['a new empty folder', (root) => mkdir(join(root, 'usr/new'))],
  ['a removed file', (root) => rm(join(root, 'usr/näme'))],
  ['a renamed file', (root) => rename(join(root, 'usr/näme'), join(root, 'usr/name'))],
  ['a file moved to another folder', (root) => rename(join(root, 'usr/näme'), join(root, 'usr/bin/näme'))],
  [
    'another target of a link',
    async (root) => {
      await rm(join(root, 'usr/link'));
      await symlink('bin/tooL', join(root, 'usr/link'));
    },
  ],
  [
    'a link in the place of the same content',
    async (root) => {
      await rm(join(root, 'usr/link'));
      await link(join(root, 'usr/bin/tool'), join(root, 'usr/link'));
    },
  ],
])('%s gives another digest', async (_name, change) => {
  const root = await tree();
  const before = await treeDigest(root);
  await change(root);
  expect(await treeDigest(root)).not.toBe(before);
});

test('times and the place of the tree do not count', async () => {
  const root = await tree();
  const before = await treeDigest(root);
  await utimes(join(root, 'usr/bin/tool'), 1, 1);
  await cp(root, `${root}-moved`, { recursive: true, verbatimSymlinks: true });
  await chmod(join(`${root}-moved`, 'usr/bin'), 0o755);
  expect(await treeDigest(`${root}-moved`)).toBe(before);
});

test('names cannot pass for other lines of the listing', async () => {
  const [one, two] = [await tree(), await tree()];
  await writeFile(join(one, 'a" f 644 0\n"b'), '');
  await writeFile(join(two, 'a'), '');
  await writeFile(join(two, 'b'), '');
  expect(await treeDigest(one)).not.toBe(await treeDigest(two));
});

test('a link is never followed, not even one that leads out or around', async () => {
  const root = await tree();
  await symlink('/', join(root, 'out'));
  await symlink('.', join(root, 'around'));
  await expect(treeDigest(root)).resolves.toMatch(/^sha256:/);
});

test('a FIFO is no part of a snapshot and is not waited for', async () => {
  const root = await tree();
  execFileSync('mkfifo', [join(root, 'usr/fifo')]);
  await expect(treeDigest(root)).rejects.toMatchObject({ code: 'task-invalid' });
});

test('names and link targets that are no UTF-8 are told apart', async () => {
  const digests = await Promise.all(
    [0xfe, 0xff].map(async (byte) => {
      const scratch = await scratchFolder();
      onTestFinished(scratch.dispose);
      const odd = Buffer.from([byte]);
      await symlink(odd as unknown as string, join(scratch.path, 'link'));
      await writeFile(Buffer.concat([Buffer.from(`${scratch.path}/`), odd]) as unknown as string, 'x');
      return treeDigest(scratch.path);
    }),
  );
  expect(digests[0]).not.toBe(digests[1]);
});
