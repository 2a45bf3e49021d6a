import { ProctorError } from '../platform/base/errors.ts';
import type { SandboxDriver, SandboxLimits } from '../platform/sandbox/sandbox.ts';

const LIMITS: SandboxLimits = {
  wallMs: 10_000,
  cpuMs: 5_000,
  memoryBytes: 64 * 1024 ** 2,
  processes: 16,
  outputBytes: 65_536,
  fileBytes: 1024 ** 2,
  diskBytes: 1024 ** 2,
};

/** Makes a sandbox, runs a program in it and removes it: whether the driver works, with all that it uses. Throws why not. */
export async function trySandbox(driver: SandboxDriver): Promise<void> {
  const sandbox = await driver.create({ root: { kind: 'host' }, limits: LIMITS });
  try {
    const { ending } = await sandbox.exec({ argv: ['/usr/bin/true'] });
    if (ending.kind === 'exited' && ending.code === 0) return;
    throw new ProctorError('sandbox-failed', `a sandbox ran /usr/bin/true, which ended as ${JSON.stringify(ending)}`);
  } finally {
    await sandbox.destroy();
  }
}
