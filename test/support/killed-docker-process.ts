// Run by tests as a process of its own: opens a sandbox of the Docker engine at SOCKET, starts a program in it, says so, and waits to be killed.
//   killed-docker-process.ts STATE_FOLDER SOCKET
import { createDockerDriver } from '../../src/platform/sandbox/docker/docker-driver.ts';

const [stateFolder = '', socketPath = ''] = process.argv.slice(2);
const driver = createDockerDriver({ stateFolder, socketPath, runtime: 'runc' });
const sandbox = await driver.create({
  root: { kind: 'host' },
  limits: {
    ...{ wallMs: 60_000, cpuMs: 60_000, memoryBytes: 128 * 1024 ** 2, processes: 16 },
    ...{ outputBytes: 1024, fileBytes: 1024, diskBytes: 1024 ** 2 },
  },
});
const running = await sandbox.start({ argv: ['/bin/sh', '-c', 'echo begun; sleep 60'] });
running.stdout.once('data', () => console.log('begun'));
await new Promise((resolve) => setTimeout(resolve, 60_000));
