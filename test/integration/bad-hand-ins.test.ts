import { execFileSync } from 'node:child_process';
import { symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { submit } from '../../src/pipeline/submit.ts';
import { scratchFolder } from '../support/test-service.ts';
import {
  disposals,
  disposeAfterEach,
  graded,
  handIn,
  openTestService,
  sent,
  tinyTask,
} from '../support/tiny-service.ts';
import { RIGHT } from '../support/tiny-task.ts';

disposeAfterEach();

describe('bad input is refused clearly and nothing is lost', () => {
  test('a 2 GB artifact is refused before it is read, and is a failed grade, not a way out', async () => {
    const service = await openTestService();
    const { path, dispose } = await scratchFolder();
    disposals.push(dispose);
    await writeFile(join(path, 'double.py'), '');
    await truncate(join(path, 'double.py'), 2 * 1024 ** 3);
    const startedMs = performance.now();
    const { reward, grade } = await graded(service, await tinyTask(), { folder: path });
    expect(grade).toMatchObject({
      kind: 'measured',
      passed: false,
      refusal: expect.stringContaining('file-too-large'),
    });
    expect(reward).toMatchObject({ reward: 0, maskSample: false, verdict: { integrity: 'suspect', fault: 'subject' } });
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  test('links, a FIFO and traversal in a workspace are never followed', async () => {
    const service = await openTestService();
    const { path, dispose } = await scratchFolder();
    disposals.push(dispose);
    await symlink('/etc/passwd', join(path, 'double.py'));
    execFileSync('mkfifo', [join(path, 'fifo')]);
    const id = await handIn(service, await tinyTask(), { folder: path });
    const [row] = await service.parts.database.query('SELECT manifest FROM artifacts WHERE id = $1', [id]);
    const manifest = row?.manifest as { files: unknown[]; leftBehind: { reason: string }[] };
    expect(manifest.files).toEqual([]);
    expect(manifest.leftBehind.map(({ reason }) => reason).sort()).toEqual(['link-escapes', 'special-file']);
  });

  test('a folder that is not there, and a wrong instance id', async () => {
    const service = await openTestService();
    await expect(handIn(service, await tinyTask(), { folder: '/no/such/folder' })).rejects.toMatchObject({
      code: 'not-found',
    });
    const unknown = submit(service.parts, service.pipeline, { instanceId: 'inst_none', handIn: sent(RIGHT) });
    await expect(unknown).rejects.toMatchObject({ code: 'not-found' });
  });
});
