import type { CgroupHome } from '../cgroup/cgroup.ts';
import { createCommandsDriver } from '../commands/commands-driver.ts';
import { overPipes } from '../commands/launcher.ts';
import type { LiveDriver } from '../live-sandbox.ts';
import { heldByBubblewrap } from './hold.ts';
import { launch } from './launch.ts';
import { probeBubblewrap } from './probe.ts';

/** Sandboxes by bubblewrap: one `bwrap` for each command. `stateFolder` must be on a file system of this host. */
export function createBubblewrapDriver(options: { stateFolder: string; cgroups?: 'find' | 'none' }): LiveDriver {
  const rest = { takesFiles: false, close: async () => undefined, ...heldByBubblewrap };
  const probe = async (cgroups: CgroupHome | null) => probeBubblewrap(cgroups);
  const launcher = { name: 'bubblewrap', probe, ...overPipes(launch), ...rest };
  return createCommandsDriver({ ...options, launcher: () => launcher });
}
