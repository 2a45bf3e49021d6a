import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { digestOf } from '../../platform/base/digest.ts';
import { openFileBlobs } from '../../platform/blobs/file-blobs.ts';
import { type ArtifactRules, proctorSchema } from '../task/task.ts';
import { collectFolder } from './collect-folder.ts';

const SECRET = 'a secret outside of the workspace';

/** A workspace beside a secret, and what collecting it gives. */
async function workspace(files: Readonly<Record<string, string>> = {}) {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  const folder = join(scratch.path, 'workspace');
  await mkdir(folder);
  await writeFile(join(scratch.path, 'secret'), SECRET);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const blobs = await openFileBlobs(join(scratch.path, 'blobs'));
  const collect = async (artifact: Partial<ArtifactRules> = {}) => {
    const rules = proctorSchema.parse({ grader: 'stdio', stdio: { command: ['true'] }, artifact }).artifact;
    const manifest = await collectFolder(folder, rules, blobs);
    return { ...manifest, paths: manifest.files.map(({ path }) => path) };
  };
  const link = (target: string, path: string) => symlink(target, join(folder, path));
  return { folder, blobs, collect, link, secret: join(scratch.path, 'secret') };
}

test('files cross with their bytes, sizes and modes', async () => {
  const { folder, blobs, collect } = await workspace({ 'main.py': 'print(1)\n', 'bin/run': '#!/bin/sh\n', empty: '' });
  await chmod(join(folder, 'bin/run'), 0o711);
  await chmod(join(folder, 'main.py'), 0o600);
  const manifest = await collect();
  expect(manifest.files).toEqual([
    { path: 'bin/run', mode: 0o755, size: 10, blob: digestOf('#!/bin/sh\n') },
    { path: 'empty', mode: 0o644, size: 0, blob: digestOf('') },
    { path: 'main.py', mode: 0o644, size: 9, blob: digestOf('print(1)\n') },
  ]);
  expect(manifest).toMatchObject({ leftBehind: [], counts: {}, refusal: null });
  expect((await blobs.get(digestOf('print(1)\n'))).toString()).toBe('print(1)\n');
});

test('an empty workspace is an empty hand-in, not a refused one', async () => {
  expect(await (await workspace()).collect()).toMatchObject({ files: [], refusal: null });
});

test('the same workspace gives the same manifest', async () => {
  const { collect } = await workspace({ b: '1', 'a/c': '2', 'a/conftest.py': '' });
  expect(await collect()).toEqual(await collect());
});

test('what the task does not declare stays behind and is counted', async () => {
  const { collect } = await workspace({ 'main.py': '', 'notes.txt': '', 'lib/a.py': '', 'lib/a.log': '' });
  const manifest = await collect({ include: ['main.py', 'lib/**'], exclude: ['**/*.log'] });
  expect(manifest.paths).toEqual(['lib/a.py', 'main.py']);
  expect(manifest.counts).toEqual({ 'not-declared': 2 });
});

test('rubbish is left without being entered', async () => {
  const { collect } = await workspace({
    ...{ 'main.py': '', '.git/config': '', '.git/objects/a': '', 'lib/__pycache__/x.pyc': '', 'main.py~': '' },
    ...Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`node_modules/m${index}/conftest.py`, ''])),
  });
  const manifest = await collect();
  expect(manifest.paths).toEqual(['main.py']);
  expect(manifest.counts).toEqual({ rubbish: 4 });
});

test('steering files and reports stay behind with their reasons', async () => {
  const { collect } = await workspace({ 'main.py': '', 'conftest.py': 'x', 'logs/verifier/reward.txt': '1' });
  const manifest = await collect();
  expect(manifest.paths).toEqual(['main.py']);
  expect(manifest.leftBehind).toEqual([
    { path: '"conftest.py"', reason: 'steering', detail: '""' },
    { path: '"logs/verifier/reward.txt"', reason: 'report-file', detail: '""' },
  ]);
});

test('a task that keeps a steering file or asks for a report gets them', async () => {
  const { collect } = await workspace({ 'main.py': '', 'tests/conftest.py': 'x', 'reward.txt': '1' });
  const manifest = await collect({ include: ['main.py', 'reward.txt'], keep_steering: ['tests/conftest.py'] });
  expect(manifest.paths).toEqual(['main.py', 'reward.txt', 'tests/conftest.py']);
  expect(manifest.counts).toEqual({});
});

test('links inside the workspace are ordinary and stay behind', async () => {
  const { collect, link } = await workspace({ 'main.py': 'x', 'lib/a.py': '' });
  await link('main.py', 'alias.py');
  await link('../main.py', 'lib/up.py');
  await link('lib', 'library');
  await link('no-such-file', 'dangling');
  const manifest = await collect();
  expect(manifest.paths).toEqual(['lib/a.py', 'main.py']);
  expect(manifest.counts).toEqual({ 'link-inside': 4 });
  expect(manifest.leftBehind).toContainEqual({ path: '"lib/up.py"', reason: 'link-inside', detail: '"../main.py"' });
});

test.each([
  ['an absolute target', (secret: string) => secret],
  ['a relative way out', () => '../secret'],
  ['a way out by a detour', () => 'lib/../../secret'],
  ['the folder above', () => '..'],
  ['the root of the system', () => '/'],
  ['a file of the process', () => '/proc/self/environ'],
])('a link to %s escapes, whatever the task says of links', async (_name, targetOf) => {
  const { blobs, collect, link, secret } = await workspace({ 'main.py': '', 'lib/a.py': '' });
  const target = targetOf(secret);
  await link(target, 'main-2.py');
  for (const links of ['drop', 'follow-inside'] as const) {
    const manifest = await collect({ links });
    expect(manifest.paths).toEqual(['lib/a.py', 'main.py']);
    expect(manifest.leftBehind).toEqual([
      { path: '"main-2.py"', reason: 'link-escapes', detail: JSON.stringify(target) },
    ]);
  }
  expect(await blobs.has(digestOf(SECRET))).toBe(false);
});

test('links that go round in circles end', async () => {
  const { collect, link } = await workspace({ 'd/f': '' });
  await link('b', 'a');
  await link('a', 'b');
  await link('self', 'self');
  await link('../d', 'd/loop');
  for (const links of ['drop', 'follow-inside'] as const) {
    const manifest = await collect({ links });
    expect(manifest.paths).toEqual(['d/f']);
    expect(manifest.counts).toEqual({ 'link-inside': 4 });
  }
});

test('a task that follows links inside gets the file that a link names', async () => {
  const { folder, collect, link } = await workspace({ 'real/main.py': 'print(2)\n' });
  await chmod(join(folder, 'real/main.py'), 0o755);
  await link('real/main.py', 'main.py');
  const manifest = await collect({ links: 'follow-inside' });
  const file = { mode: 0o755, size: 9, blob: digestOf('print(2)\n') };
  expect(manifest.files).toEqual([
    { path: 'main.py', ...file },
    { path: 'real/main.py', ...file },
  ]);
});

test('a followed link is no way around: not to a link, a folder, through a linked folder, or under a steering name', async () => {
  const { collect, link, secret } = await workspace({ 'real/f': 'x' });
  await link(secret, 'out');
  await link('out', 'second-hand');
  await link('real', 'folder');
  await link('/etc', 'etc');
  await link('etc/passwd', 'through');
  await link('real/f', 'conftest.py');
  const manifest = await collect({ links: 'follow-inside' });
  expect(manifest.paths).toEqual(['real/f']);
  expect(manifest.counts).toEqual({ 'link-escapes': 2, 'link-inside': 4 });
});

test('followed links count against the caps', async () => {
  const { collect, link } = await workspace({ f: '0123456789' });
  for (const name of ['a', 'b', 'c']) await link('f', name);
  expect((await collect({ links: 'follow-inside', max_bytes: 40 })).refusal).toBeNull();
  expect((await collect({ links: 'follow-inside', max_bytes: 39 })).refusal).toMatchObject({ reason: 'too-large' });
  expect((await collect({ links: 'follow-inside', max_files: 3 })).refusal).toMatchObject({ reason: 'too-many-files' });
});

test('what is no folder cannot be collected', async () => {
  const { folder, blobs, link } = await workspace({ f: '' });
  await link('.', 'again');
  const { artifact } = proctorSchema.parse({ grader: 'stdio', stdio: { command: ['true'] } });
  for (const path of ['missing', 'f', 'again']) {
    await expect(collectFolder(join(folder, path), artifact, blobs)).rejects.toMatchObject({ code: 'not-found' });
  }
});
