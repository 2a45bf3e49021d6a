import type { Config } from '../config.ts';
import { type SelectedDriver, selectDriver } from '../platform/sandbox/select-driver.ts';
import { BUNDLED } from './bundled.ts';

/** The configured sandbox driver; whoever opens it closes it. */
export function openDriver(config: Pick<Config, 'sandboxDriver' | 'stateFolder'>): SelectedDriver {
  const { sandboxDriver, stateFolder } = config;
  return selectDriver(sandboxDriver, { stateFolder, forkFolder: BUNDLED.forkFolder });
}
