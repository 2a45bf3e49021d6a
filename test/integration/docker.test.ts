import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUNDLED } from '../../src/bin/bundled.ts';
import { readFixtures } from '../../src/bin/corpus/read-fixtures.ts';
import { runCorpus } from '../../src/bin/corpus/run-corpus.ts';
import { digestOf } from '../../src/platform/base/digest.ts';
import { createDockerDriver } from '../../src/platform/sandbox/docker/docker-driver.ts';
import type { Sandbox, SandboxDriver, SandboxRoot } from '../../src/platform/sandbox/sandbox.ts';
import { CONTRACT_LIMITS, shell, text } from '../contract/sandbox/harness.ts';
import { type DockerEngine, startDocker, whyNoDocker } from '../support/docker-engine.ts';
import { scratchFolder, testService } from '../support/test-service.ts';
import { disposals, disposeAfterEach } from '../support/tiny-service.ts';

/** One task for each grader, and what is most likely to come out otherwise where the sandbox is another. */
const GRADED = [
  ...['implement-slugify/reference', 'implement-slugify/nothing', 'implement-slugify/proc-scan'],
  ...['interval-set/reference', 'interval-set/nothing', 'interval-set/killed-in-the-second-call'],
  ...['interval-set/garbage-on-descriptors', 'interval-set/forked-writer', 'event-bus/survives-its-group'],
  ...['shortest-route/reference', 'shortest-route/nothing', 'shortest-route/takes-over-init'],
  ...['shortest-route/fork-storm', 'shortest-route/eats-the-memory', 'shortest-route/leaves-a-daemon'],
  ...['tap-shell/reference', 'tap-shell/nothing', 'tap-shell/exit-trap'],
];
const KILLED = fileURLToPath(new URL('../support/killed-docker-process.ts', import.meta.url));
const fault = whyNoDocker();

describe.skipIf(fault !== null)(`docker${fault === null ? '' : ` (not here: ${fault})`}`, () => {
  let engine: DockerEngine;
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  let stateFolder: string;
  beforeAll(async () => {
    engine = await startDocker();
    scratch = await scratchFolder();
    stateFolder = join(scratch.path, 'state');
    execFileSync('chmod', ['755', scratch.path]);
  });
  afterAll(async () => {
    await engine.dispose();
    await scratch.dispose();
  });
  disposeAfterEach();

  const driverOf = (): SandboxDriver => {
    const driver = createDockerDriver({ stateFolder, socketPath: engine.socketPath, runtime: 'runc' });
    disposals.push(() => driver.close());
    return driver;
  };
  const openSandbox = (driver: SandboxDriver, root: SandboxRoot = { kind: 'host' }): Promise<Sandbox> =>
    driver.create({ root, limits: { ...CONTRACT_LIMITS, wallMs: 60_000 } });
  const containers = () =>
    execFileSync('docker', ['-H', `unix://${engine.socketPath}`, 'ps', '-aq'])
      .toString()
      .split('\n')
      .filter(Boolean);

  test('an engine that stops under a program is the platform’s fault, and serves again once it is back', async () => {
    const driver = driverOf();
    const sandbox = await openSandbox(driver);
    const running = await sandbox.start({ argv: ['/bin/sh', '-c', 'echo begun; sleep 60'] });
    await once(running.stdout, 'data');
    const waited = await openSandbox(driver);
    await expect.poll(() => containers().length).toBe(2);
    const ended = running.ended.then(
      () => null,
      (thrown) => thrown,
    );
    await engine.stop();
    expect(await ended).toMatchObject({ code: 'sandbox-failed', fault: 'platform' });
    await expect(sandbox.exec({ argv: ['/usr/bin/true'] })).rejects.toMatchObject({
      code: 'sandbox-failed',
      message: expect.stringMatching(/does not answer/),
    });
    const meanwhile = await openSandbox(driver); // what it makes ahead cannot be made
    await expect(meanwhile.writeFile('a', Buffer.from('x'))).resolves.toBeUndefined();
    await engine.start();
    for (const box of [sandbox, waited, meanwhile, await openSandbox(driver)]) {
      expect((await box.exec({ argv: ['/usr/bin/true'] })).ending).toEqual({ kind: 'exited', code: 0 });
      await box.destroy();
    }
    await driver.reap(); // what could not be removed while the engine was away
    expect(containers()).toEqual([]);
  });

  test('containers of a service that was killed are ended and removed by the next reaper, those of the living stay', async () => {
    const driver = driverOf();
    const own = await openSandbox(driver);
    await own.exec({ argv: ['/usr/bin/true'] });
    const running = await own.start({ argv: ['/usr/bin/sleep', '60'] });
    running.stdout.resume();
    const child = spawn(process.execPath, ['--import', 'tsx', KILLED, stateFolder, engine.socketPath], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await expect.poll(() => containers().length).toBe(2);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await driver.reap()).toMatchObject({ removed: 1, failed: 0 });
    expect(containers()).toHaveLength(1);
    running.stop();
    expect((await running.ended).ending).toEqual({ kind: 'stopped' });
  });

  test('a container that is killed from outside is no ending of the program', async () => {
    const sandbox = await openSandbox(driverOf());
    const running = await sandbox.start({ argv: ['/bin/sh', '-c', 'echo begun; sleep 60'] });
    await once(running.stdout, 'data');
    execFileSync('docker', ['-H', `unix://${engine.socketPath}`, 'kill', ...containers()]);
    await expect(running.ended).rejects.toMatchObject({ code: 'sandbox-failed' });
  });

  test('what looks like the gate’s last word in a program’s errors is the program’s', async () => {
    const sandbox = await openSandbox(driverOf());
    const forged = `${'0'.repeat(32)} ended 0`;
    const { ending, stderr } = await shell(sandbox, `printf '%s\\n' '${forged}' >&2; exit 3`);
    expect(ending).toEqual({ kind: 'exited', code: 3 });
    expect(stderr.toString()).toBe(`${forged}\n`);
  });

  test('an argument with a zero byte is refused, and the sandbox serves on', async () => {
    const sandbox = await openSandbox(driverOf());
    await expect(sandbox.exec({ argv: ['/bin/echo', 'a\0b'] })).rejects.toMatchObject({ code: 'sandbox-failed' });
    expect(text((await sandbox.exec({ argv: ['/bin/echo', 'a'] })).stdout)).toBe('a');
  });

  test('a snapshot becomes an image once, and sandboxes see nothing else', async () => {
    const tree = await smallTree();
    const driver = driverOf();
    const root = { kind: 'directory', path: tree, digest: digestOf('small tree') } as const;
    const image = await driver.prepareRoot(root);
    expect(image).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await driverOf().prepareRoot(root)).toBe(image);
    const sandbox = await openSandbox(driver, root);
    const { stdout, ending } = await shell(sandbox, 'echo /*; echo x > /usr/x; echo made > made; exit 4');
    expect([text(stdout), ending]).toEqual([
      '/bin /dev /etc /lib /lib64 /proc /proctor /sys /tmp /usr /work',
      { kind: 'exited', code: 4 },
    ]);
    expect((await sandbox.readFile('made', { maxBytes: 10 })).kind).toBe('file');
  });

  test('a snapshot without what containers need is told as what it is', async () => {
    const { path, dispose } = await scratchFolder();
    disposals.push(dispose);
    const root = { kind: 'directory', path, digest: digestOf('empty tree') } as const;
    const sandbox = await openSandbox(driverOf(), root);
    await expect(sandbox.exec({ argv: ['/usr/bin/true'] })).rejects.toMatchObject({
      code: 'sandbox-failed',
      message: expect.stringMatching(/could not start a container.*perl/),
    });
  });

  test('the corpus comes out as in every other sandbox: each grader, with cheats that go for the sandbox itself', {
    timeout: 300_000,
  }, async () => {
    const { service, dispose } = await testService({
      PROCTOR_SANDBOX_DRIVER: 'docker',
      PROCTOR_DOCKER_SOCKET: engine.socketPath,
    });
    disposals.push(dispose);
    const submissions = await readFixtures(BUNDLED.fixtureFolder, GRADED);
    const { rows } = await runCorpus(service, submissions, { seed: 'docker', inFlight: 2 });
    expect(rows.filter(({ differences }) => differences.length > 0)).toEqual([]);
    expect(rows).toHaveLength(GRADED.length);
  });
});

/** A file system that has a shell and perl, and nothing else. */
async function smallTree(): Promise<string> {
  const { path, dispose } = await scratchFolder();
  disposals.push(dispose);
  for (const name of ['dev', 'etc', 'proc', 'proctor', 'sys', 'tmp', 'usr/bin', 'work', 'lib64']) {
    await mkdir(join(path, name), { recursive: true });
  }
  for (const name of ['bin', 'lib']) await symlink(`usr/${name}`, join(path, name));
  const libraries = ['/usr/bin/perl', '/bin/sh'].flatMap((program) =>
    [
      ...execFileSync('ldd', [program])
        .toString()
        .matchAll(/(\/\S+) \(/g),
    ].map(([, file]) => file as string),
  );
  for (const file of ['/usr/bin/perl', '/usr/bin/sh', ...libraries]) {
    const target = join(path, file.replace(/^\/lib\//, '/usr/lib/'));
    await mkdir(dirname(target), { recursive: true });
    await copyFile(file, target);
  }
  return path;
}
