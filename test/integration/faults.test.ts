import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, type TestContext, test } from 'vitest';
import { openService, type Service } from '../../src/bin/open-service.ts';
import { runStep } from '../../src/pipeline/run-step.ts';
import { type HandIn, submit } from '../../src/pipeline/submit.ts';
import { ProctorError } from '../../src/platform/base/errors.ts';
import { createLog } from '../../src/platform/base/log.ts';
import { openFileBlobs } from '../../src/platform/blobs/file-blobs.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import type { SandboxDriver } from '../../src/platform/sandbox/sandbox.ts';
import { findLatestGrade } from '../../src/stages/grade/grade-store.ts';
import { saveInstance } from '../../src/stages/instance/instance-store.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { waitForReward } from '../../src/stages/reward/reward-watch.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { scratchDataFolder, scratchFolder, testConfig, testService } from '../support/test-service.ts';
import { RIGHT, writeTinyTask } from '../support/tiny-task.ts';

const disposals: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

const sent = (source: string): HandIn => ({
  files: [{ path: 'double.py', bytes: Buffer.from(source), executable: false }],
});

async function tinyTask(replaced: Record<string, string | null> = {}): Promise<string> {
  const scratch = await scratchFolder();
  disposals.push(scratch.dispose);
  return writeTinyTask(scratch.path, replaced);
}

async function openTestService(): Promise<Service> {
  const { service, dispose } = await testService();
  disposals.push(dispose);
  return service;
}

async function handIn(service: Service, taskFolder: string, what: HandIn): Promise<string> {
  const task = await loadTask(taskFolder);
  await saveTask(service.parts, task);
  const { id: instanceId } = await saveInstance(service.parts.database, makeInstance(task, 'faults'));
  return (await submit(service.parts, service.pipeline, { instanceId, handIn: what })).id;
}

async function graded(service: Service, taskFolder: string, what: HandIn) {
  const id = await handIn(service, taskFolder, what);
  const reward = await waitForReward(service.parts.database, id, performance.now() + 60_000);
  const grade = await findLatestGrade(service.parts.database, id);
  return { reward: reward?.body, grade: grade?.body };
}

describe('whose fault it is', () => {
  test('an oracle that raises is the task’s: ungraded and masked, never a zero to learn from', async () => {
    const folder = await tinyTask({
      'tests/oracle.py':
        'def cases(parameters, random):\n    raise RuntimeError("no")\n\ndef expected(p, c):\n    return 1\n',
    });
    const { reward, grade } = await graded(await openTestService(), folder, sent(RIGHT));
    expect(reward).toMatchObject({
      status: 'unscored',
      maskSample: true,
      trainWeight: 0,
      failureKind: 'proctor:task-fault',
    });
    expect(grade).toMatchObject({ kind: 'ungraded', fault: 'task', code: 'oracle-failed' });
  });

  test('an oracle that ends its process, prints rubbish or draws nothing is the task’s too', async () => {
    const service = await openTestService();
    for (const body of [
      'import os; os._exit(0)',
      'return []',
      'return [7]',
      'import time; time.sleep(0); return 3',
      'print("x" * 10**6); raise SystemExit',
    ]) {
      const oracle = `def cases(parameters, random):\n    ${body}\n\ndef expected(p, c):\n    return 1\n`;
      const { grade } = await graded(service, await tinyTask({ 'tests/oracle.py': oracle }), sent(RIGHT));
      expect([body, grade]).toMatchObject([body, { kind: 'ungraded', fault: 'task' }]);
    }
  });

  test('a snapshot that is not built is the task’s', async () => {
    const folder = await tinyTask();
    const toml = (await import('node:fs')).readFileSync(join(folder, 'task.toml'), 'utf8');
    await writeFile(
      join(folder, 'task.toml'),
      toml.replace('grader = "function"', 'grader = "function"\nsnapshot = "not-built"'),
    );
    const { grade } = await graded(await openTestService(), folder, sent(RIGHT));
    expect(grade).toMatchObject({ kind: 'ungraded', fault: 'task', code: 'snapshot-missing' });
  });

  test('a driver that fails is tried again, and then the platform’s: ungraded and masked', async () => {
    const service = await openTestService();
    const failing = failingDriver(service.parts.driver, 'create');
    const { grade, reward } = await gradedWith(service, failing, RIGHT);
    expect(failing.calls).toBe(3);
    expect(grade).toMatchObject({ kind: 'ungraded', fault: 'platform', code: 'sandbox-failed' });
    expect(reward).toMatchObject({ status: 'unscored', maskSample: true, failureKind: 'proctor:platform-fault' });
  });

  test('a driver that fails once costs a retry, not a grade', async () => {
    const service = await openTestService();
    const { grade } = await gradedWith(service, failingDriver(service.parts.driver, 'create', 1), RIGHT);
    expect(grade).toMatchObject({ kind: 'measured', passed: true });
  });

  test('what fails only once the candidate’s code runs, while a control works, is charged to the candidate', async () => {
    const service = await openTestService();
    const { grade, reward } = await gradedWith(service, failingDriver(service.parts.driver, 'start-function'), RIGHT);
    expect(grade).toMatchObject({ kind: 'measured', passed: false });
    expect(reward).toMatchObject({ status: 'scored', reward: 0, maskSample: false });
  });

  test('stored bytes that were changed are withheld: no verdict rests on them', async () => {
    const { service, config, dispose } = await testService();
    disposals.push(dispose);
    const folder = await tinyTask();
    await service.pipeline.stop();
    const id = await handIn(service, folder, sent(RIGHT));
    const [row] = await service.parts.database.query('SELECT manifest FROM artifacts WHERE id = $1', [id]);
    const hex = JSON.stringify(row).match(/sha256:([0-9a-f]{64})/)?.[1] ?? '';
    await writeFile(join(config.dataFolder, 'blobs/sha256', hex.slice(0, 2), hex.slice(2)), 'changed');
    await runStep(service.parts, { step: 'grade', id });
    expect((await findLatestGrade(service.parts.database, id))?.body).toMatchObject({
      kind: 'ungraded',
      fault: 'evidence',
      code: 'digest-mismatch',
    });
  });
});

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

/** A driver that is real but for some failures, which nothing else could stage. */
function failingDriver(driver: SandboxDriver, where: 'create' | 'start-function', times = Number.POSITIVE_INFINITY) {
  const failure = () => new ProctorError('sandbox-failed', 'staged failure');
  const failing = {
    ...driver,
    calls: 0,
    async create(...spec: Parameters<SandboxDriver['create']>) {
      failing.calls += 1;
      if (where === 'create' && failing.calls <= times) throw failure();
      const sandbox = await driver.create(...spec);
      if (where !== 'start-function' || spec[0].tools?.function === undefined) return sandbox;
      return { ...sandbox, start: () => Promise.reject(failure()) };
    },
  };
  return failing;
}

/** Grades with another driver; the retries' pauses are passed over. */
async function gradedWith(service: Service, driver: SandboxDriver, source: string) {
  await service.pipeline.stop();
  const id = await handIn(service, await tinyTask(), sent(source));
  const parts = { ...service.parts, driver };
  for (let tries = 0; tries < 3; tries++) await runStep(parts, { step: 'grade', id });
  for (const step of ['screen', 'judge', 'decide', 'reward']) await runStep(parts, { step, id });
  const reward = await waitForReward(service.parts.database, id, performance.now());
  return { grade: (await findLatestGrade(service.parts.database, id))?.body, reward: reward?.body };
}
