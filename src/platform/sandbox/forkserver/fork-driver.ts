import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { heldByBubblewrap } from '../bubblewrap/hold.ts';
import type { CgroupHome } from '../cgroup/cgroup.ts';
import { createCommandsDriver } from '../commands/commands-driver.ts';
import { heldLimits, type Launcher, overPipes } from '../commands/launcher.ts';
import type { ServiceFolder } from '../commands/service-folder.ts';
import type { LiveDriver } from '../live-sandbox.ts';
import type { Capabilities } from '../sandbox.ts';
import { launchClone } from './launch-clone.ts';
import { startLauncherProcess } from './launcher-process.ts';
import { openZygotes } from './zygotes.ts';

/** How a driver of clones is made. `forkFolder` holds zygote.py and, in bin/, what setup has compiled. */
export interface ForkDriverOptions {
  readonly stateFolder: string;
  readonly forkFolder: string;
  readonly cgroups?: 'find' | 'none';
}

/** Sandboxes by clones of resident processes: nothing is started from this process for a command. Needs root. */
export function createForkDriver({ forkFolder, ...options }: ForkDriverOptions): LiveDriver {
  return createCommandsDriver({ ...options, launcher: (service) => forkLauncher(service, forkFolder) });
}

/** Why this machine cannot have one, in words, or null. */
export function whyNoForkServer(forkFolder: string): string | null {
  if (process.getuid?.() !== 0) return 'it needs root';
  if (process.arch !== 'x64') return `it was not tried on ${process.arch}`;
  const program = join(forkFolder, 'bin', 'launcher');
  if (!existsSync(program)) return 'it is not compiled: bash scripts/setup.sh --fork-server';
  const { status } = spawnSync(program, { stdio: 'ignore' });
  return status === 2 ? null : `${program} does not run here`;
}

function forkLauncher(service: ServiceFolder, forkFolder: string): Launcher {
  const tool = service.stage(forkFolder);
  copyFileSync(join(forkFolder, 'bin', 'libsandbox.so'), join(tool, 'libsandbox.so'));
  if (service.seccompFile !== null) copyFileSync(service.seccompFile, join(tool, 'seccomp.bpf'));
  const launcher = startLauncherProcess(join(forkFolder, 'bin', 'launcher'), service.folder);
  const zygotes = openZygotes(launcher, { folder: service.folder, tool });
  return {
    name: 'forkserver',
    takesFiles: true,
    probe: async (cgroups) => capabilitiesOf(whyNoForkServer(forkFolder), cgroups),
    ...overPipes((start) => launchClone({ launcher, zygotes }, start)),
    ...heldByBubblewrap,
    async close() {
      zygotes.close();
      await launcher.close();
    },
  };
}

function capabilitiesOf(fault: string | null, cgroups: CgroupHome | null): Capabilities {
  const remarks = cgroups === null ? ['no writable cgroup: memory is limited per process'] : [];
  return {
    driver: 'forkserver',
    usable: fault === null,
    remarks: fault === null ? remarks : [`the fork server does not run here: ${fault}`],
    cgroup: cgroups?.version ?? 'none',
    limits: heldLimits(cgroups, true),
    isolation: 'namespaced',
    freeze: cgroups !== null,
    ownUid: true,
    seccomp: true,
  };
}
