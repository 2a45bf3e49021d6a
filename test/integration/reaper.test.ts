import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, utimesSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createBubblewrapDriver } from '../../src/platform/sandbox/bubblewrap/bubblewrap-driver.ts';
import type { SandboxDriver } from '../../src/platform/sandbox/sandbox.ts';
import { CONTRACT_LIMITS } from '../contract/sandbox/harness.ts';
import { freePort } from '../support/free-port.ts';
import { scratchFolder } from '../support/test-service.ts';
import { disposals, disposeAfterEach } from '../support/tiny-service.ts';

const PROGRAM = fileURLToPath(new URL('../../src/bin/proctor.ts', import.meta.url));
const ARGS = ['--import', 'tsx', PROGRAM, 'reaper', '--json'];

describe.skipIf(process.getuid?.() !== 0)('the reaper, beside services that do not clear away themselves', () => {
  disposeAfterEach();

  async function openDriver(): Promise<{ driver: SandboxDriver; stateFolder: string }> {
    const { path, dispose } = await scratchFolder();
    const driver = createBubblewrapDriver({ stateFolder: path });
    disposals.push(dispose, () => driver.close());
    return { driver, stateFolder: path };
  }

  /** A program that sleeps, in a sandbox whose deadline is so long ago. */
  async function sleeping(driver: SandboxDriver, overdueMs: number) {
    const sandbox = await driver.create({ root: { kind: 'host' }, limits: { ...CONTRACT_LIMITS, wallMs: 60_000 } });
    const running = await sandbox.start({ argv: ['/usr/bin/sleep', '60'] });
    running.stdout.resume();
    await expect.poll(() => processesOf(sandbox.id)).toBeGreaterThan(0); // it has begun, and with it its deadline
    const deadline = uptime() - overdueMs / 1_000;
    utimesSync(join('/run/proctor/slots', sandbox.id.replace('slot-', ''), 'owner'), deadline, deadline);
    return { running };
  }

  function processesOf(sandboxId: string): number {
    const found = ['/sys/fs/cgroup/pids/proctor', '/sys/fs/cgroup/proctor'].map((base) => {
      try {
        return readFileSync(join(base, sandboxId, 'cgroup.procs'), 'utf8')
          .split('\n')
          .filter(Boolean).length;
      } catch {
        return 0;
      }
    });
    return Math.max(...found);
  }

  test('it ends what runs past its deadline although its service is alive, which then is told of a platform fault', async () => {
    const { driver } = await openDriver();
    const [late, early] = [await sleeping(driver, 11_000), await sleeping(driver, 5_000)];
    const other = (await openDriver()).driver;
    expect(await other.reap()).toMatchObject({ failed: 0 }); // or a service of another test was first
    await expect(late.running.ended).rejects.toMatchObject({ code: 'sandbox-failed', fault: 'platform' });
    early.running.stop();
    expect((await early.running.ended).ending).toEqual({ kind: 'stopped' });
  });

  test('proctor reaper --once says what it found and ends', async () => {
    const { stateFolder } = await openDriver();
    const env = { PATH: process.env.PATH, PROCTOR_STATE_DIR: stateFolder };
    const { stdout } = await promisify(execFile)(process.execPath, [...ARGS, '--once'], { env });
    // other tests' services may have died just now, or what was kept of them is kept no longer
    expect(JSON.parse(stdout)).toEqual({ removed: expect.any(Number), overdue: 0, failed: 0 });
  });

  test('it shows its numbers and ends on SIGTERM', async () => {
    const { driver, stateFolder } = await openDriver();
    const port = await freePort();
    const settings = { PROCTOR_STATE_DIR: stateFolder, PROCTOR_METRICS_PORT: String(port) };
    const child = spawn(process.execPath, [...ARGS, '--every', '0.1'], {
      env: { PATH: process.env.PATH, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = '';
    child.stdout.on('data', (chunk: Buffer) => {
      told += chunk.toString();
    });
    // services of other tests clear this machine too, and may come first
    const isTold = async () => {
      await sleeping(driver, 20_000).then(({ running }) => running.ended.catch(() => undefined));
      return told;
    };
    await expect.poll(isTold, { timeout: 30_000 }).toMatch(/"overdue":1/);
    expect(await (await fetch(`http://127.0.0.1:${port}/healthz`)).json()).toEqual({ status: 'ok' });
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toMatch(/proctor_reaped_total\{what="overdue"\} [1-9]/);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
