import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { quoted, readBeneath, removeBeneath, safeSegments, writeBeneath } from './beneath.ts';

const BOUNDS = { maxBytes: 100 };
const FILE = { bytes: Buffer.from('new'), mode: 0o640 };

/** A folder `root` beside a secret outside it. */
async function scene(): Promise<{ root: string; outside: string }> {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  const [root, outside] = [join(scratch.path, 'root'), join(scratch.path, 'outside')];
  await mkdir(root);
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 'the secret');
  return { root, outside };
}

test('a path is split into its segments', () => {
  expect(safeSegments('a/b c/..d/.e')).toEqual(['a', 'b c', '..d', '.e']);
});

test.each(['', '/', '/a', 'a/', 'a//b', '.', './a', 'a/.', '..', 'a/../b', '../a', 'a\0b'])(
  '%j is no path beneath a root',
  (path) => {
    expect(() => safeSegments(path)).toThrow(expect.objectContaining({ code: 'bad-request' }));
  },
);

test('a hostile name is quoted on one line without control or bidirectional characters', () => {
  expect(quoted('a"\n\u001b[2J\u007f\u0085\u200e\u202e\u2066\ufeff')).toBe(
    '"a\\"\\n\\u001b[2J\\u007f\\u0085\\u200e\\u202e\\u2066\\ufeff"',
  );
});

test('an ordinary name keeps its letters', () => {
  expect(quoted('naïve שלום 😀')).toBe('"naïve שלום 😀"');
});

test('a long name is cut at 200 characters', () => {
  expect(quoted('x'.repeat(200))).toBe(`"${'x'.repeat(200)}"`);
  expect(quoted('x'.repeat(201))).toBe(`"${'x'.repeat(200)}…"`);
});

test('a regular file is read with its mode', async () => {
  const { root } = await scene();
  await mkdir(join(root, 'd'));
  await writeFile(join(root, 'd/f'), 'hello');
  await chmod(join(root, 'd/f'), 0o751);
  const read = await readBeneath(root, 'd/f', BOUNDS);
  expect(read).toMatchObject({ kind: 'file', bytes: Buffer.from('hello') });
  expect(read.kind === 'file' && read.mode & 0o777).toBe(0o751);
});

test.each(['no', 'no/deeper'])('nothing at %s reads as missing', async (path) => {
  const { root } = await scene();
  expect(await readBeneath(root, path, BOUNDS)).toEqual({ kind: 'missing' });
});

test('a file of the largest size is read and one byte more is not', async () => {
  const { root } = await scene();
  await writeFile(join(root, 'fits'), Buffer.alloc(100));
  await writeFile(join(root, 'large'), Buffer.alloc(101));
  expect(await readBeneath(root, 'fits', BOUNDS)).toMatchObject({ kind: 'file' });
  expect(await readBeneath(root, 'large', BOUNDS)).toEqual({ kind: 'too-large' });
});

test('a file that holds more than its size tells is cut off all the same', async () => {
  const read = await readBeneath('/proc', `${process.pid}/status`, { maxBytes: 10 });
  expect((await stat(`/proc/${process.pid}/status`)).size).toBe(0);
  expect(read).toEqual({ kind: 'too-large' });
});

test('no link is followed, neither the last component nor a parent', async () => {
  const { root, outside } = await scene();
  await symlink(join(outside, 'secret'), join(root, 'link'));
  await symlink(outside, join(root, 'folder'));
  expect(await readBeneath(root, 'link', BOUNDS)).toEqual({ kind: 'not-a-file' });
  expect(await readBeneath(root, 'folder/secret', BOUNDS)).toEqual({ kind: 'not-a-file' });
});

test('a folder, a file used as a folder and a FIFO are no files, and none is waited for', async () => {
  const { root } = await scene();
  await mkdir(join(root, 'd'));
  await writeFile(join(root, 'f'), 'x');
  execFileSync('mkfifo', [join(root, 'fifo')]);
  for (const path of ['d', 'f/x', 'fifo']) {
    expect(await readBeneath(root, path, BOUNDS), path).toEqual({ kind: 'not-a-file' });
  }
});

test.each(['../outside/secret', '/etc/passwd', 'a/../../outside/secret'])('%s is refused, not read', async (path) => {
  const { root } = await scene();
  await expect(readBeneath(root, path, BOUNDS)).rejects.toMatchObject({ code: 'bad-request' });
  await expect(writeBeneath(root, path, FILE)).rejects.toMatchObject({ code: 'bad-request' });
  await expect(removeBeneath(root, path)).rejects.toMatchObject({ code: 'bad-request' });
});

test('a file is written with its mode whatever the umask, and its folders are made', async () => {
  const { root } = await scene();
  const before = process.umask(0o077);
  onTestFinished(() => void process.umask(before));
  await writeBeneath(root, 'a/b/f', { bytes: Buffer.from('x'), mode: 0o755 });
  expect(await readFile(join(root, 'a/b/f'), 'utf8')).toBe('x');
  expect((await stat(join(root, 'a/b/f'))).mode & 0o7777).toBe(0o755);
});

test('a file that stands there is replaced, not changed', async () => {
  const { root } = await scene();
  await writeFile(join(root, 'f'), 'something longer');
  const { ino } = await stat(join(root, 'f'));
  execFileSync('ln', [join(root, 'f'), join(root, 'other-name')]);
  await writeBeneath(root, 'f', FILE);
  expect(await readFile(join(root, 'f'), 'utf8')).toBe('new');
  expect(await readFile(join(root, 'other-name'), 'utf8')).toBe('something longer');
  expect((await stat(join(root, 'other-name'))).ino).toBe(ino);
});

test('a link that stands there is replaced and what it points at stays as it was', async () => {
  const { root, outside } = await scene();
  await symlink(join(outside, 'secret'), join(root, 'f'));
  await writeBeneath(root, 'f', FILE);
  expect((await lstat(join(root, 'f'))).isFile()).toBe(true);
  expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('the secret');
});

test('nothing is written through a folder that is a link', async () => {
  const { root, outside } = await scene();
  await symlink(outside, join(root, 'd'));
  await expect(writeBeneath(root, 'd/secret', FILE)).rejects.toMatchObject({ code: 'ENOTDIR' });
  await expect(writeBeneath(root, 'd/made', FILE)).rejects.toThrow();
  expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('the secret');
  await expect(lstat(join(outside, 'made'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test.skipIf(process.getuid?.() !== 0)(
  'the file and the folders made for it get their owner, older ones do not',
  async () => {
    const { root } = await scene();
    await mkdir(join(root, 'old'));
    await writeBeneath(root, 'old/new/f', { ...FILE, owner: 61_234 });
    const owners = await Promise.all(
      ['old', 'old/new', 'old/new/f'].map(async (path) => (await stat(join(root, path))).uid),
    );
    expect(owners).toEqual([0, 61_234, 61_234]);
  },
);

test('a file or a link is removed; a folder and what links point at stay', async () => {
  const { root, outside } = await scene();
  await writeFile(join(root, 'f'), 'x');
  await mkdir(join(root, 'd'));
  await symlink(join(outside, 'secret'), join(root, 'link'));
  await symlink(outside, join(root, 'folder'));
  for (const path of ['f', 'd', 'link', 'folder/secret', 'missing', 'f/x']) await removeBeneath(root, path);
  await expect(lstat(join(root, 'f'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(lstat(join(root, 'link'))).rejects.toMatchObject({ code: 'ENOENT' });
  expect((await lstat(join(root, 'd'))).isDirectory()).toBe(true);
  expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('the secret');
});
