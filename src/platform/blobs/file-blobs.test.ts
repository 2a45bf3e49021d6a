import { chmod, lstat, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { digestOf } from '../base/digest.ts';
import { openFileBlobs } from './file-blobs.ts';

async function store() {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  return { folder: scratch.path, blobs: await openFileBlobs(scratch.path) };
}

const placeOf = (digest: string) => join('sha256', digest.slice(7, 9), digest.slice(9));

test('what was put comes back under the digest of its bytes', async () => {
  const { blobs } = await store();
  for (const bytes of [Buffer.from('hello'), Buffer.alloc(0), Buffer.alloc(300_000, 7)]) {
    const digest = await blobs.put(bytes);
    expect(digest).toBe(digestOf(bytes));
    expect((await blobs.get(digest)).equals(bytes)).toBe(true);
    expect(await blobs.has(digest)).toBe(true);
  }
});

test('a blob lies at the place that its digest names, readable by the service and its group alone, and nothing lies beside it', async () => {
  const { folder, blobs } = await store();
  const digest = await blobs.put(Buffer.from('hello'));
  expect(digest).toBe('sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824');
  expect(await readFile(join(folder, placeOf(digest)), 'utf8')).toBe('hello');
  expect((await stat(join(folder, placeOf(digest)))).mode & 0o777).toBe(0o640);
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);
});

test('the same bytes twice are one file that is not written again', async () => {
  const { folder, blobs } = await store();
  const digest = await blobs.put(Buffer.from('same'));
  const first = await lstat(join(folder, placeOf(digest)));
  expect(await blobs.put(Buffer.from('same'))).toBe(digest);
  const second = await lstat(join(folder, placeOf(digest)));
  expect([second.ino, second.ctimeMs]).toEqual([first.ino, first.ctimeMs]);
});

test('the same bytes put many times at once all arrive', async () => {
  const { folder, blobs } = await store();
  const digests = await Promise.all(Array.from({ length: 20 }, () => blobs.put(Buffer.from('at once'))));
  expect(new Set(digests).size).toBe(1);
  expect((await blobs.get(digestOf('at once'))).toString()).toBe('at once');
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);
});

test('a stored file that was changed, cut or emptied is never handed out', async () => {
  const { folder, blobs } = await store();
  const digest = await blobs.put(Buffer.from('evidence'));
  for (const tampered of ['Evidence', 'evidenc', '', 'evidence ']) {
    await writeFile(join(folder, placeOf(digest)), tampered);
    await expect(blobs.get(digest), tampered).rejects.toMatchObject({ code: 'digest-mismatch', details: { digest } });
  }
});

test('a digest that was never stored is not found', async () => {
  const { blobs } = await store();
  const digest = digestOf('never');
  expect(await blobs.has(digest)).toBe(false);
  await expect(blobs.get(digest)).rejects.toMatchObject({ code: 'not-found', details: { digest } });
});

test('a place that cannot be written is a storage failure and leaves nothing half-written', async () => {
  const { folder, blobs } = await store();
  const digest = digestOf('blocked');
  await mkdir(join(folder, 'sha256'));
  await writeFile(join(folder, 'sha256', digest.slice(7, 9)), 'a file where a folder belongs');
  await expect(blobs.put(Buffer.from('blocked'))).rejects.toMatchObject({ code: 'storage-failed' });
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  expect(await blobs.has(digest)).toBe(false);
});

test('a place that cannot be read is a storage failure, not a missing blob', async () => {
  const { folder, blobs } = await store();
  const digest = digestOf('a folder');
  await mkdir(join(folder, placeOf(digest)), { recursive: true });
  await expect(blobs.get(digest)).rejects.toMatchObject({ code: 'storage-failed' });
});

test('blobs outlive the service, and what a crash left half-written goes once it is an hour old', async () => {
  const { folder, blobs } = await store();
  const digest = await blobs.put(Buffer.from('kept'));
  const [old, young] = [join(folder, 'tmp/old'), join(folder, 'tmp/young')];
  for (const path of [old, young]) await writeFile(path, 'half');
  await chmod(old, 0o400);
  const twoHoursAgo = new Date(Date.now() - 7_200_000);
  await utimes(old, twoHoursAgo, twoHoursAgo);
  const reopened = await openFileBlobs(folder);
  expect((await reopened.get(digest)).toString()).toBe('kept');
  expect(await readdir(join(folder, 'tmp'))).toEqual(['young']);
});
