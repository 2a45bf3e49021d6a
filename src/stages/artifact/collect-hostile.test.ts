import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chmod, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { openFileBlobs } from '../../platform/blobs/file-blobs.ts';
import { type ArtifactRules, proctorSchema } from '../task/task.ts';
import { collectFolder } from './collect-folder.ts';

/** A workspace of one honest file, and what collecting it gives. */
async function workspace() {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  const folder = join(scratch.path, 'workspace');
  await mkdir(folder);
  await writeFile(join(folder, 'main.py'), 'pass\n');
  const blobs = await openFileBlobs(join(scratch.path, 'blobs'));
  const collect = async (artifact: Partial<ArtifactRules> = {}) => {
    const rules = proctorSchema.parse({ grader: 'stdio', stdio: { command: ['true'] }, artifact }).artifact;
    const manifest = await collectFolder(folder, rules, blobs);
    return { ...manifest, paths: manifest.files.map(({ path }) => path) };
  };
  return { folder, collect, put: (path: string, text: string) => writeFile(join(folder, path), text) };
}

const named = (folder: string, name: readonly number[]) =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]) as unknown as string;

test('a FIFO is left behind and not waited for', async () => {
  const { folder, collect } = await workspace();
  execFileSync('mkfifo', [join(folder, 'a-fifo.py')]);
  const manifest = await collect();
  expect(manifest.paths).toEqual(['main.py']);
  expect(manifest.leftBehind).toEqual([{ path: '"a-fifo.py"', reason: 'special-file', detail: '""' }]);
});

test('a socket is left behind and not talked to', async () => {
  const { folder, collect } = await workspace();
  let calls = 0;
  const server = createServer(() => {
    calls += 1;
  });
  await new Promise<void>((resolve) => server.listen(join(folder, 'sock'), resolve));
  onTestFinished(() => void server.close());
  const manifest = await collect();
  expect(manifest.paths).toEqual(['main.py']);
  expect(manifest.counts).toEqual({ 'special-file': 1 });
  expect(calls).toBe(0);
});

test('special files are told of even where the task does not ask for their names', async () => {
  const { folder, collect } = await workspace();
  execFileSync('mkfifo', [join(folder, 'conftest.py'), join(folder, 'other')]);
  expect((await collect({ include: ['main.py'] })).counts).toEqual({ 'special-file': 2 });
});

test.each([
  ['setuid', 0o4755],
  ['setgid', 0o2755],
])('a %s file crosses without the bit, and it is told', async (_name, mode) => {
  const { folder, collect, put } = await workspace();
  await put('helper', 'x');
  await chmod(join(folder, 'helper'), mode);
  const manifest = await collect();
  expect(manifest.files).toMatchObject([{ path: 'helper', mode: 0o755 }, { path: 'main.py' }]);
  expect(manifest.leftBehind).toEqual([{ path: '"helper"', reason: 'setuid-dropped', detail: '""' }]);
});

test('a file of a terabyte of nothing is refused by its size, unread', async () => {
  const { folder, collect, put } = await workspace();
  await put('big.bin', '');
  await truncate(join(folder, 'big.bin'), 1024 ** 4);
  const startedMs = performance.now();
  const manifest = await collect();
  expect(manifest).toMatchObject({
    files: [],
    refusal: { reason: 'file-too-large', detail: '"big.bin" has 1099511627776 bytes; at most 16777216' },
  });
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});

test('a terabyte that the task does not ask for harms nobody', async () => {
  const { folder, collect, put } = await workspace();
  await put('big.bin', '');
  await truncate(join(folder, 'big.bin'), 1024 ** 4);
  expect(await collect({ include: ['main.py'] })).toMatchObject({ paths: ['main.py'], refusal: null });
});

test('folders as deep as allowed are entered, one deeper is refused', async () => {
  const { folder, collect } = await workspace();
  const deep = Array.from({ length: 5 }, () => 'd').join('/');
  await mkdir(join(folder, deep), { recursive: true });
  await writeFile(join(folder, deep, 'f'), '');
  expect(await collect({ max_depth: 5 })).toMatchObject({ paths: [`${deep}/f`, 'main.py'], refusal: null });
  expect(await collect({ max_depth: 4 })).toMatchObject({
    files: [],
    refusal: { reason: 'too-deep', detail: 'folders are nested deeper than 4' },
  });
});

test('a tree of a thousand folders is refused without being walked to its end', async () => {
  const { folder, collect } = await workspace();
  const script =
    'import os, sys\nos.chdir(sys.argv[1])\nfor _ in range(1000): os.mkdir("d" * 100); os.chdir("d" * 100)\n';
  execFileSync('/usr/bin/python3', ['-I', '-c', script, folder]);
  expect((await collect()).refusal).toMatchObject({ reason: 'too-deep' });
  execFileSync('rm', ['-rf', folder]); // deeper than what a path can name
});

test('caps on files and bytes hold for what crosses, and not for what stays behind', async () => {
  const { collect, put } = await workspace();
  await put('five', '12345');
  for (const name of ['x.log', 'y.log', 'conftest.py']) await put(name, 'long enough to matter');
  const rules = { exclude: ['*.log'], max_files: 2, max_bytes: 10, max_file_bytes: 5 };
  expect(await collect(rules)).toMatchObject({ paths: ['five', 'main.py'], refusal: null });
  expect((await collect({ ...rules, max_files: 1 })).refusal).toMatchObject({ reason: 'too-many-files' });
  expect((await collect({ ...rules, max_bytes: 9 })).refusal).toMatchObject({ reason: 'too-large' });
  expect((await collect({ ...rules, max_file_bytes: 4 })).refusal).toMatchObject({ reason: 'file-too-large' });
});

test('more than a hundred thousand entries are refused, whatever they are', async () => {
  const { folder, collect } = await workspace();
  const script =
    'import os, sys\nos.chdir(sys.argv[1])\nfor n in range(int(sys.argv[2])): os.link("main.py", "\\x01%d" % n)\n';
  const odd = join(folder, 'a');
  await mkdir(odd);
  await writeFile(join(odd, 'main.py'), '');
  // hard links to one inode cost little; ext4 allows 65,000 of them, so there are two inodes
  execFileSync('/usr/bin/python3', ['-I', '-c', script, folder, '50001']);
  execFileSync('/usr/bin/python3', ['-I', '-c', script, odd, '49996']);
  expect(await collect()).toMatchObject({ refusal: null, counts: { 'odd-name': 99_997 } });
  await writeFile(join(odd, '\u0001x'), '');
  expect((await collect()).refusal).toEqual({ reason: 'too-many-entries', detail: 'more than 100000 entries' });
});

test('names that are not UTF-8 or hold control characters stay behind, files and folders alike', async () => {
  const { folder, collect } = await workspace();
  await writeFile(named(folder, [0x61, 0xff, 0x62]), 'x');
  await writeFile(named(folder, [0x61, 0x0a, 0x62]), 'x');
  await writeFile(named(folder, [0x1b, 0x5b, 0x32, 0x4a]), 'x');
  await writeFile(named(folder, [0x7f]), 'x');
  await mkdir(named(folder, [0xc3, 0x28]));
  await writeFile(named(folder, [0xc3, 0x28, 0x2f, 0x66]), 'x');
  const manifest = await collect();
  expect(manifest.paths).toEqual(['main.py']);
  expect(manifest.counts).toEqual({ 'odd-name': 5 });
  expect(manifest.leftBehind.map(({ path }) => path)).toContain('"\\u001b[2J"');
  expect(JSON.stringify(manifest)).toBe(JSON.stringify(manifest).toWellFormed());
});

test('names in any script, with spaces and backslashes, are ordinary', async () => {
  const { collect, put } = await workspace();
  const names = ['naïve.py', 'שלום', '名前', 'a b', 'back\\slash', '😀', '$(id)', '-rf', '…'];
  for (const name of names) await put(name, '');
  expect(new Set((await collect()).paths)).toEqual(new Set(['main.py', ...names]));
});

test('a workspace full of traps leaves no descriptor open', async () => {
  const { folder, collect, put } = await workspace();
  await mkdir(join(folder, 'd/e/f'), { recursive: true });
  await symlink('/etc', join(folder, 'link'));
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  await put('large', 'x'.repeat(100));
  await collect();
  const before = readdirSync('/proc/self/fd').length;
  for (const rules of [{}, { max_depth: 1 }, { max_file_bytes: 10 }, { max_files: 1 }]) await collect(rules);
  expect(readdirSync('/proc/self/fd').length).toBe(before);
});

test('links to folders, to the root or to names too long are left behind, and never fail the hand-in', async () => {
  const { folder, collect } = await workspace();
  await mkdir(join(folder, 'sub'));
  const targets = { here: '.', down: 'sub/', around: 'sub/../.', self: 'self', long: 'x'.repeat(300), file: 'main.py' };
  for (const [name, target] of Object.entries(targets)) await symlink(target, join(folder, name));
  await symlink('..', join(folder, 'sub', 'up'));
  const manifest = await collect({ links: 'follow-inside' });
  expect(manifest.paths).toEqual(['file', 'main.py']);
  expect(manifest.counts).toEqual({ 'link-inside': 6 });
});
