import { createBubblewrapDriver } from './bubblewrap/bubblewrap-driver.ts';
import { createForkDriver, whyNoForkServer } from './forkserver/fork-driver.ts';
import type { SandboxDriver } from './sandbox.ts';

/** Drivers by the name that the configuration gives; `auto` is the fork server where it runs. */
export type DriverName = 'auto' | 'bubblewrap' | 'forkserver';

/** A driver, and what it lacks beside a better one, in words. */
export interface SelectedDriver {
  readonly driver: SandboxDriver;
  readonly remark: string | null;
}

/** Makes the configured driver; this is the only file that names one. */
export function selectDriver(name: DriverName, options: { stateFolder: string; forkFolder: string }): SelectedDriver {
  const fault = name === 'auto' ? whyNoForkServer(options.forkFolder) : null;
  const makers = {
    bubblewrap: () => createBubblewrapDriver(options),
    forkserver: () => createForkDriver(options),
  };
  const chosen = name === 'auto' ? (fault === null ? 'forkserver' : 'bubblewrap') : name;
  const remark = fault === null ? null : `no fork server, so every grade starts its programs anew: ${fault}`;
  return { driver: makers[chosen](), remark };
}
