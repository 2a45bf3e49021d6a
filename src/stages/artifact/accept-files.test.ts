import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { digestOf } from '../../platform/base/digest.ts';
import { openFileBlobs } from '../../platform/blobs/file-blobs.ts';
import { type ArtifactRules, proctorSchema } from '../task/task.ts';
import { acceptFiles, type SentFile } from './accept-files.ts';
import { collectFolder } from './collect-folder.ts';

const sent = (path: string, text = ''): SentFile => ({ path, bytes: Buffer.from(text), executable: false });
const rulesOf = (artifact: Partial<ArtifactRules>) =>
  proctorSchema.parse({ grader: 'stdio', stdio: { command: ['true'] }, artifact }).artifact;

async function desk() {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  const blobs = await openFileBlobs(join(scratch.path, 'blobs'));
  const accept = async (files: readonly SentFile[], rules: Partial<ArtifactRules> = {}) => {
    const manifest = await acceptFiles(files, rulesOf(rules), blobs);
    return { ...manifest, paths: manifest.files.map(({ path }) => path) };
  };
  return { folder: scratch.path, blobs, accept };
}

test('sent files cross with their bytes and whether they may be run', async () => {
  const { blobs, accept } = await desk();
  const manifest = await accept([{ ...sent('bin/run', 'go'), executable: true }, sent('a.py', 'x')]);
  expect(manifest.files).toEqual([
    { path: 'a.py', mode: 0o644, size: 1, blob: digestOf('x') },
    { path: 'bin/run', mode: 0o755, size: 2, blob: digestOf('go') },
  ]);
  expect((await blobs.get(digestOf('go'))).toString()).toBe('go');
});

test('files that are sent give the manifest that a folder of the same files gives', async () => {
  const { folder, blobs, accept } = await desk();
  const files = ['main.py', 'lib/a.py', 'lib/x.log', 'conftest.py', '.git/config', 'reward.txt', 'b/c/d/e'];
  const rules = { exclude: ['**/*.log'] };
  for (const path of files) {
    await mkdir(dirname(join(folder, 'w', path)), { recursive: true });
    await writeFile(join(folder, 'w', path), path);
    await chmod(join(folder, 'w', path), 0o644);
  }
  const collected = await collectFolder(join(folder, 'w'), rulesOf(rules), blobs);
  const accepted = await accept(
    files.map((path) => sent(path, path)),
    rules,
  );
  expect(accepted.files).toEqual(collected.files);
  expect(accepted.counts).toEqual(collected.counts);
});

test.each(['../x', '/etc/passwd', 'a/../../x', 'a/./b', './a', 'a//b', 'a/', '', '.', '..', 'a\0b'])(
  'the path %j leads out and stays behind, the rest crosses',
  async (path) => {
    const { blobs, accept } = await desk();
    const manifest = await accept([sent(path, 'evil'), sent('main.py')]);
    expect(manifest.paths).toEqual(['main.py']);
    expect(manifest.counts).toEqual({ 'path-escapes': 1 });
    expect(await blobs.has(digestOf('evil'))).toBe(false);
  },
);

test.each(['a\nb', 'a\u001bb', '\u007f', 'd\u0001/f', 'a\ud800b', 'x/'.repeat(3) + 'y'.repeat(4_096)])(
  'the odd name %j stays behind',
  async (path) => {
    const { accept } = await desk();
    const manifest = await accept([sent(path), sent('main.py')]);
    expect(manifest.paths).toEqual(['main.py']);
    expect(manifest.counts).toEqual({ 'odd-name': 1 });
  },
);

test('backslashes and drive letters are ordinary letters here', async () => {
  const { accept } = await desk();
  expect((await accept([sent('..\\..\\x'), sent('C:\\x')])).paths).toEqual(['..\\..\\x', 'C:\\x']);
});

test.each([[['a', 'a']], [['a', 'b', 'a']], [['conftest.py', 'conftest.py']]])(
  'a path that is sent twice is a bad request: %j',
  async (paths) => {
    const { accept } = await desk();
    await expect(accept(paths.map((path) => sent(path)))).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringContaining('was sent twice'),
    });
  },
);

test.each([[['a', 'a/b']], [['a/b/c', 'x', 'a/b']], [['d/e/f/g', 'd']]])(
  'a path that is both a file and a folder is a bad request: %j',
  async (paths) => {
    const { accept } = await desk();
    await expect(accept(paths.map((path) => sent(path)))).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringContaining('both as a file and as a folder'),
    });
  },
);

test('names that only begin alike do not clash', async () => {
  const { accept } = await desk();
  expect((await accept([sent('a'), sent('ab/c'), sent('a.b'), sent('b/a')])).paths).toHaveLength(4);
});

test('steering files, reports and rubbish stay behind unless the task wants them', async () => {
  const { blobs, accept } = await desk();
  const files = [sent('conftest.py', 's'), sent('reward.txt', 'r'), sent('.git/config', 'g'), sent('other', 'o')];
  const first = await accept(files, { include: ['main.py'] });
  expect(first.files).toEqual([]);
  expect(first.counts).toEqual({ steering: 1, 'report-file': 1, rubbish: 1, 'not-declared': 1 });
  expect(await Promise.all(['s', 'r', 'g', 'o'].map((text) => blobs.has(digestOf(text))))).not.toContain(true);
  const second = await accept(files, { include: ['reward.txt'], keep_steering: ['conftest.py', '.git/config'] });
  expect(second.paths).toEqual(['.git/config', 'conftest.py', 'reward.txt']);
});

test('the caps hold for what is sent', async () => {
  const { accept } = await desk();
  const files = [sent('a', '12345'), sent('b/c/d', '12345')];
  const rules = { max_files: 2, max_bytes: 10, max_file_bytes: 5, max_depth: 2 };
  expect(await accept(files, rules)).toMatchObject({ paths: ['a', 'b/c/d'], refusal: null });
  const refusals: [Partial<ArtifactRules>, string][] = [
    [{ max_files: 1 }, 'too-many-files'],
    [{ max_bytes: 9 }, 'too-large'],
    [{ max_file_bytes: 4 }, 'file-too-large'],
    [{ max_depth: 1 }, 'too-deep'],
  ];
  for (const [tighter, reason] of refusals) {
    expect(await accept(files, { ...rules, ...tighter }), reason).toMatchObject({ files: [], refusal: { reason } });
  }
});

test('nothing sent is an empty hand-in', async () => {
  expect(await (await desk()).accept([])).toMatchObject({ files: [], leftBehind: [], refusal: null });
});

test.each([`${'a'.repeat(256)}.py`, `d/${'é'.repeat(128)}`])('a name of more than 255 bytes is odd', async (path) => {
  const { accept } = await desk();
  const manifest = await accept([sent(path), sent('a'.repeat(255))]);
  expect([manifest.paths, manifest.counts]).toEqual([['a'.repeat(255)], { 'odd-name': 1 }]);
});

test('depth counts only for what crosses, as it does for a folder', async () => {
  const { accept } = await desk();
  const deep = 'd/'.repeat(25);
  expect((await accept([sent(`node_modules/${deep}x`), sent('a')])).refusal).toBeNull();
  expect((await accept([sent(`${deep}x`)])).refusal).toMatchObject({ reason: 'too-deep' });
});
