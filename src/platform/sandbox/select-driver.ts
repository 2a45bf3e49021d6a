import { createBubblewrapDriver } from './bubblewrap/bubblewrap-driver.ts';
import { createForkDriver } from './forkserver/fork-driver.ts';
import type { SandboxDriver } from './sandbox.ts';

/** Drivers by the name that the configuration gives. */
export type DriverName = 'bubblewrap' | 'forkserver';

/** Makes the configured driver; this is the only file that names one. */
export function selectDriver(name: DriverName, options: { stateFolder: string; forkFolder: string }): SandboxDriver {
  const makers = {
    bubblewrap: () => createBubblewrapDriver(options),
    forkserver: () => createForkDriver(options),
  } as const satisfies Record<DriverName, () => SandboxDriver>;
  return makers[name]();
}
