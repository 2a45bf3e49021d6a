import type { Config } from '../config.ts';
import type { SandboxDriver } from '../platform/sandbox/sandbox.ts';
import { selectDriver } from '../platform/sandbox/select-driver.ts';
import { BUNDLED } from './bundled.ts';

/** The configured sandbox driver; whoever opens it closes it. */
export function openDriver({
  sandboxDriver,
  stateFolder,
}: Pick<Config, 'sandboxDriver' | 'stateFolder'>): SandboxDriver {
  return selectDriver(sandboxDriver, { stateFolder, forkFolder: BUNDLED.forkFolder });
}
