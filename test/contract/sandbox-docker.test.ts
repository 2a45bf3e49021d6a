import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createDockerDriver } from '../../src/platform/sandbox/docker/docker-driver.ts';
import { startDocker, whyNoDocker } from '../support/docker-engine.ts';
import { liveContract } from './live-contract.ts';
import { CONTRACT_LIMITS } from './sandbox/harness.ts';
import { sandboxContract } from './sandbox-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'proctor-contract-'));
chmodSync(folder, 0o755);
const fault = whyNoDocker();

if (fault === null) {
  // gVisor's name for a runtime that cannot do what is asked of it is told by the name alone
  const engine = await startDocker({ runsc: { path: '/usr/bin/false' }, broken: { path: '/usr/bin/false' } });
  const options = { stateFolder: join(folder, 'state'), socketPath: engine.socketPath, runtime: 'runc' };
  afterAll(async () => {
    await engine.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  sandboxContract('docker', () => createDockerDriver(options));
  liveContract('docker', () => createDockerDriver(options));

  describe('docker: what it is told to use', () => {
    test.each([
      ['an engine that is not there', { socketPath: '/nowhere.sock' }, /does not answer.*PROCTOR_DOCKER_SOCKET/],
      ['a runtime that it does not have', { runtime: 'crun-x' }, /no runtime "crun-x" \(it has: .*runc.*daemon.json/],
      ['a runtime that does not start', { runtime: 'broken' }, /could not start a container with broken/],
      ['a runtime of another kind', { runtime: 'runsc' }, /does not use runsc.*PROCTOR_DOCKER_RUNTIME/],
    ])('%s is told in one line that says what to do, and nothing is made', async (_, changed, line) => {
      const driver = createDockerDriver({ ...options, ...changed });
      const { usable, remarks } = await driver.capabilities();
      expect({ usable, remarks }).toEqual({ usable: false, remarks: [expect.stringMatching(line)] });
      const refused = driver.create({ root: { kind: 'host' }, limits: CONTRACT_LIMITS });
      await expect(refused).rejects.toMatchObject({ code: 'capability-missing' });
      await driver.close();
    });

    test('an engine that is started later is used then', async () => {
      await engine.stop();
      const driver = createDockerDriver(options);
      expect((await driver.capabilities()).usable).toBe(false);
      await engine.start();
      expect((await driver.capabilities()).usable).toBe(true);
      await driver.close();
    });

    test('a task that wants more isolation than containers give is refused before start', async () => {
      const driver = createDockerDriver(options);
      const wanted = { root: { kind: 'host' }, limits: CONTRACT_LIMITS, isolation: 'micro-vm' } as const;
      await expect(driver.create(wanted)).rejects.toMatchObject({
        code: 'capability-missing',
        message: 'the task wants isolation micro-vm or better; docker here gives container',
      });
      await driver.close();
    });
  });
} else {
  describe('sandbox contract: docker', () => test.skip(`not here: ${fault}`, () => undefined));
}
