import { createBubblewrapDriver } from './bubblewrap/bubblewrap-driver.ts';
import { createDockerDriver } from './docker/docker-driver.ts';
import { createForkDriver, whyNoForkServer } from './forkserver/fork-driver.ts';
import type { LiveDriver } from './live-sandbox.ts';
import { withWarmPool } from './warm-pool.ts';

/** Drivers by the name that the configuration gives; `auto` is the fork server where it runs. */
export type DriverName = 'auto' | 'bubblewrap' | 'forkserver' | 'docker';

/** A driver, and what it lacks beside a better one, in words. */
export interface SelectedDriver {
  readonly driver: LiveDriver;
  readonly remark: string | null;
}

/** What any of them may need. */
export interface DriverOptions {
  readonly stateFolder: string;
  readonly forkFolder: string;
  readonly docker: { readonly socketPath: string; readonly runtime: string };
  /** How many sandboxes may wait for their use, where making one takes long. */
  readonly warm: number;
}

/** Makes the configured driver; this is the only file that names one. */
export function selectDriver(name: DriverName, options: DriverOptions): SelectedDriver {
  const fault = name === 'auto' ? whyNoForkServer(options.forkFolder) : null;
  const makers = {
    bubblewrap: () => createBubblewrapDriver(options),
    forkserver: () => createForkDriver(options),
    docker: () =>
      withWarmPool(createDockerDriver({ stateFolder: options.stateFolder, ...options.docker }), { most: options.warm }),
  };
  const chosen = name === 'auto' ? (fault === null ? 'forkserver' : 'bubblewrap') : name;
  const remark = fault === null ? null : `no fork server, so every grade starts its programs anew: ${fault}`;
  return { driver: makers[chosen](), remark };
}
