import type { Config } from '../config.ts';
import { ProctorError } from '../platform/base/errors.ts';
import type { SandboxDriver } from '../platform/sandbox/sandbox.ts';
import { type SelectedDriver, selectDriver } from '../platform/sandbox/select-driver.ts';
import { BUNDLED } from './bundled.ts';

/** The configured sandbox driver; whoever opens it closes it. */
export function openDriver(
  config: Pick<Config, 'sandboxDriver' | 'stateFolder' | 'docker' | 'warmSandboxes'>,
): SelectedDriver {
  const { sandboxDriver, stateFolder, docker, warmSandboxes: warm } = config;
  return selectDriver(sandboxDriver, { stateFolder, docker, warm, forkFolder: BUNDLED.forkFolder });
}

/** `capability-missing`, with what to do, where a driver can make no sandboxes. */
export async function refuseUnusable(driver: SandboxDriver): Promise<void> {
  const { usable, remarks } = await driver.capabilities();
  if (!usable) throw new ProctorError('capability-missing', `this machine cannot grade: ${remarks.join('; ')}`);
}
