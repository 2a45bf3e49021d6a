import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { openService } from '../../src/bin/open-service.ts';
import type { HandIn } from '../../src/pipeline/submit.ts';
import { createLog } from '../../src/platform/base/log.ts';
import { openFileBlobs } from '../../src/platform/blobs/file-blobs.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { scratchDataFolder, scratchFolder, testConfig } from '../support/test-service.ts';
import { disposals, disposeAfterEach, graded, handIn, sent, tinyTask } from '../support/tiny-service.ts';
import { RIGHT } from '../support/tiny-task.ts';

disposeAfterEach();

describe('storage', () => {
  test('a database that another process holds is refused with what to do', async () => {
    const { path, dispose } = await scratchDataFolder();
    disposals.push(dispose);
    const first = await openDatabase({ folder: join(path, 'database') });
    await expect(openDatabase({ folder: join(path, 'database') })).rejects.toMatchObject({ code: 'database-locked' });
    await first.close();
    await (await openDatabase({ folder: join(path, 'database') })).close();
  });

  test('a full disk is told as such, and no half-written blob stays', async (context) => {
    const mount = await smallTmpfs(context, 256 * 1024);
    const blobs = await openFileBlobs(join(mount, 'blobs'));
    const kept = await blobs.put(Buffer.from('fits'));
    await expect(blobs.put(Buffer.alloc(1024 * 1024))).rejects.toMatchObject({ code: 'disk-full' });
    expect((await blobs.get(kept)).toString()).toBe('fits');
    expect(execFileSync('find', [join(mount, 'blobs/tmp'), '-type', 'f']).toString()).toBe('');
  });

  test('a disk too small for the embedded database is refused before anything is written', async (context) => {
    const mount = await smallTmpfs(context, 8 * 1024 * 1024);
    const folder = join(mount, 'database');
    await expect(openDatabase({ folder })).rejects.toMatchObject({ code: 'disk-full' });
    expect(existsSync(join(folder, 'pglite'))).toBe(false);
  });

  test('a disk that fills while the service runs: the hand-in is refused, and goes through once there is space', async (context) => {
    const mount = await smallTmpfs(context, 220 * 1024 * 1024);
    const service = await openService(testConfig(mount), createLog('silent'));
    disposals.push(service.close);
    const folder = await tinyTask();
    expect((await graded(service, folder, sent(RIGHT))).reward).toMatchObject({ reward: 1 });
    await fill(join(mount, 'ballast'));
    const bytes = Buffer.alloc(4 * 1024 * 1024, 'x');
    const large: HandIn = { files: [{ path: 'double.py', bytes, executable: false }] };
    await expect(handIn(service, folder, large)).rejects.toMatchObject({ code: 'disk-full' });
    await rm(join(mount, 'ballast'));
    expect((await graded(service, folder, sent(`${RIGHT}# again\n`))).reward).toMatchObject({ reward: 1 });
  });
});

/** A tmpfs of its own; the test is skipped where this user may not mount. */
async function smallTmpfs(context: TestContext, bytes: number): Promise<string> {
  context.skip(process.getuid?.() !== 0, 'mounting a tmpfs needs root');
  const { path, dispose } = await scratchFolder();
  disposals.push(dispose);
  const mount = join(path, 'small');
  await mkdir(mount);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', mount]);
  disposals.push(async () => void execFileSync('umount', ['-l', mount]));
  return mount;
}

async function fill(path: string): Promise<void> {
  await writeFile(path, Buffer.alloc(400 * 1024 * 1024)).catch(() => undefined);
}
