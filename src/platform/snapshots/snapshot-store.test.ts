import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { digestOf } from '../base/digest.ts';
import { openSnapshots, storeSnapshot } from './snapshot-store.ts';

async function store() {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  const folder = scratch.path;
  /** Stores a tree of one file. */
  const add = async (name: string, content: string) => {
    const tree = join(folder, `building-${name}`);
    await mkdir(tree, { recursive: true });
    await writeFile(join(tree, 'f'), content);
    await chmod(join(tree, 'f'), 0o644);
    return storeSnapshot(folder, { name, tree });
  };
  return { folder, add, treeOf: (digest: string) => join(folder, 'trees', digest.slice('sha256:'.length)) };
}

test('a stored tree is found by its name and by its digest', async () => {
  const { folder, add, treeOf } = await store();
  const stored = await add('python', 'one');
  expect(stored).toMatchObject({
    name: 'python',
    pinned: true,
    root: { kind: 'directory', path: treeOf(stored.digest), digest: stored.digest },
  });
  expect(await openSnapshots(folder).resolve('python')).toEqual(stored);
  expect(await openSnapshots(folder).resolve(stored.digest)).toMatchObject({
    digest: stored.digest,
    root: stored.root,
  });
  expect(await readFile(join(treeOf(stored.digest), 'f'), 'utf8')).toBe('one');
});

test('a tree moves to its place whole and nothing half-written stays', async () => {
  const { folder, add } = await store();
  await add('python', 'one');
  expect((await readdir(folder)).sort()).toEqual(['python.json', 'trees']);
});

test('a name can be pointed at another tree, and the earlier one stays for those who name its digest', async () => {
  const { folder, add } = await store();
  const snapshots = openSnapshots(folder);
  const first = await add('python', 'one');
  expect((await snapshots.resolve('python')).digest).toBe(first.digest);
  const second = await add('python', 'two');
  expect(second.digest).not.toBe(first.digest);
  expect((await snapshots.resolve('python')).digest).toBe(second.digest);
  expect((await openSnapshots(folder).resolve(first.digest)).root).toEqual(first.root);
});

test('the same tree under a second name is stored once', async () => {
  const { folder, add } = await store();
  const [one, two] = [await add('one', 'same'), await add('two', 'same')];
  expect(two.digest).toBe(one.digest);
  expect(await readdir(join(folder, 'trees'))).toHaveLength(1);
});

test('a tree that was changed after it was built is refused, by name and by digest', async () => {
  const { folder, add, treeOf } = await store();
  const { digest } = await add('python', 'one');
  await writeFile(join(treeOf(digest), 'f'), 'One');
  const snapshots = openSnapshots(folder);
  for (const asked of ['python', digest]) {
    await expect(snapshots.resolve(asked)).rejects.toMatchObject({ code: 'digest-mismatch', details: { digest } });
  }
});

test('a tree that was mended is taken again by the same service', async () => {
  const { folder, add, treeOf } = await store();
  const { digest } = await add('python', 'one');
  const snapshots = openSnapshots(folder);
  await writeFile(join(treeOf(digest), 'f'), 'One');
  await expect(snapshots.resolve('python')).rejects.toMatchObject({ code: 'digest-mismatch' });
  await writeFile(join(treeOf(digest), 'f'), 'one');
  await expect(snapshots.resolve('python')).resolves.toMatchObject({ digest });
});

test('a name that points at another tree’s digest does not make that tree pass', async () => {
  const { folder, add, treeOf } = await store();
  const { digest } = await add('python', 'one');
  const wrong = digestOf('something else');
  await writeFile(join(folder, 'python.json'), JSON.stringify({ name: 'python', digest: wrong, builtAt: '' }));
  await expect(openSnapshots(folder).resolve('python')).rejects.toMatchObject({ code: 'snapshot-missing' });
  await mkdir(treeOf(wrong));
  await expect(openSnapshots(folder).resolve('python')).rejects.toMatchObject({ code: 'digest-mismatch' });
  expect((await openSnapshots(folder).resolve(digest)).digest).toBe(digest);
});

test.each(['unknown', '../python', 'UPPER', '', 'a/b', 'sha256:abc'])('%j names no snapshot', async (name) => {
  const { folder, add } = await store();
  await add('python', 'one');
  await expect(openSnapshots(folder).resolve(name)).rejects.toMatchObject({ code: 'snapshot-missing' });
});

test('a record whose tree is gone is missing and names the digest', async () => {
  const { folder, add, treeOf } = await store();
  const { digest } = await add('python', 'one');
  await rm(treeOf(digest), { recursive: true });
  await expect(openSnapshots(folder).resolve('python')).rejects.toMatchObject({
    code: 'snapshot-missing',
    details: { digest },
  });
});

test('the host is always there and never counts as pinned', async () => {
  const { folder, add } = await store();
  const { digest } = await add('python', 'one');
  const snapshots = openSnapshots(folder);
  expect(await snapshots.resolve('host')).toMatchObject({ name: 'host', pinned: false, root: { kind: 'host' } });
  const listed = (await snapshots.list()).map(({ name, pinned }) => ({ name, pinned }));
  expect(listed).toEqual([
    { name: 'host', pinned: false },
    { name: 'python', pinned: true },
  ]);
  expect((await snapshots.list()).map((snapshot) => snapshot.digest)).toContain(digest);
  expect(await openSnapshots(join(folder, 'nothing')).list()).toHaveLength(1);
});

test('two names of one tree each keep their own name, whichever was asked for first', async () => {
  const { folder, add } = await store();
  await add('one', 'same');
  await add('two', 'same');
  const snapshots = openSnapshots(folder);
  expect([(await snapshots.resolve('one')).name, (await snapshots.resolve('two')).name]).toEqual(['one', 'two']);
});

test('a damaged record is told as a snapshot to build again', async () => {
  const { folder, add } = await store();
  await add('python', 'x');
  await writeFile(join(folder, 'python.json'), '{"name":');
  await expect(openSnapshots(folder).resolve('python')).rejects.toMatchObject({ code: 'snapshot-missing' });
});
