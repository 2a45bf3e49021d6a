import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, ProctorError } from '../../base/errors.ts';
import type { Cgroup, CgroupHome, CgroupLimits } from './cgroup.ts';
import {
  endUntilEmpty,
  keyedNumber,
  ownPidsIn,
  pidsIn,
  plainNumber,
  readCgroupFile,
  removeCgroupFolder,
  tryRemoveCgroupFolder,
  untilState,
  writeCgroupFile,
} from './cgroup-files.ts';

const CONTROLLERS = '+memory +pids +cpu';

/** Finds a v2 tree in which memory and pids can be delegated to children; null when it cannot. */
export function findCgroupV2(mount: string): CgroupHome | null {
  if (!existsSync(join(mount, 'cgroup.controllers')) || isForeign(mount)) return null;
  const base = join(mount, 'proctor');
  try {
    writeCgroupFile(join(mount, 'cgroup.subtree_control'), CONTROLLERS);
    mkdirSync(base, { recursive: true });
  } catch (thrown) {
    if (['EACCES', 'EROFS', 'EPERM'].includes(errnoOf(thrown) ?? '')) return null;
    throw thrown;
  }
  if (!writeCgroupFile(join(base, 'cgroup.subtree_control'), CONTROLLERS)) return null;
  return {
    version: 'v2',
    place: base,
    make: (name, limits) => makeCgroup(join(base, name), limits),
    reopen: (name, place = base) => openCgroup(join(place, name)),
  };
}

/**
 * Whether the tree at `mount` is another namespace's: a container that is shown the host's tree is at `/` by its own word and not
 * there. No process can be moved into it (cgroup_namespaces(7), delegation).
 */
function isForeign(mount: string): boolean {
  const isAtRoot = readCgroupFile('/proc/self/cgroup')?.split('\n').includes('0::/') === true;
  return isAtRoot && !ownPidsIn(mount).includes(process.pid);
}

function makeCgroup(path: string, limits: CgroupLimits): Cgroup {
  tryRemoveCgroupFolder(path); // one that was left over may hold other limits
  mkdirSync(path, { recursive: true });
  const held =
    writeCgroupFile(join(path, 'memory.max'), limits.memoryBytes) &&
    writeCgroupFile(join(path, 'pids.max'), limits.processes);
  if (!held) throw new ProctorError('sandbox-failed', 'the cgroup did not take the limits', { path, limits });
  writeCgroupFile(join(path, 'memory.swap.max'), 0);
  return openCgroup(path);
}

/** A tree has one place for each process, so this one is beside the limited one. */
const exemptOf = (path: string) => `${path}-exempt`;

function openCgroup(path: string): Cgroup {
  const file = (name: string) => readCgroupFile(join(path, name));
  const joinPaths = [join(path, 'cgroup.procs')];
  return {
    joinPaths,
    join(pid) {
      if (!writeCgroupFile(join(path, 'cgroup.procs'), pid)) {
        throw new ProctorError('sandbox-failed', 'the process could not be moved into its cgroup', { path, pid });
      }
    },
    cpuMs: () => keyedNumber(file('cpu.stat'), 'usage_usec') / 1e3,
    memoryPeakBytes: () => plainNumber(join(path, 'memory.peak')),
    outOfMemoryKills: () => keyedNumber(file('memory.events'), 'oom_kill'),
    async freeze() {
      writeCgroupFile(join(path, 'cgroup.freeze'), 1);
      const frozen = await untilState(() => keyedNumber(file('cgroup.events'), 'frozen') === 1, 2_000);
      if (!frozen) throw new ProctorError('sandbox-failed', 'the sandbox did not freeze within 2 s');
    },
    thaw: () => void writeCgroupFile(join(path, 'cgroup.freeze'), 0),
    pids: () => [...pidsIn(path), ...pidsIn(exemptOf(path))],
    renew: () => false, // cpu.stat counts from its making on
    remove() {
      removeCgroupFolder(exemptOf(path));
      removeCgroupFolder(path);
    },
    exempt() {
      mkdirSync(exemptOf(path), { recursive: true });
      return openCgroup(exemptOf(path));
    },
    processPeak: () => plainNumber(join(path, 'pids.peak')),
    child(name) {
      writeCgroupFile(join(path, 'cgroup.subtree_control'), CONTROLLERS);
      mkdirSync(join(path, name), { recursive: true });
      return openCgroup(join(path, name));
    },
    endAll: () =>
      endUntilEmpty(
        () => [...pidsIn(path), ...pidsIn(exemptOf(path))],
        () => {
          for (const folder of [path, exemptOf(path)]) writeCgroupFile(join(folder, 'cgroup.kill'), 1);
        },
      ),
  };
}
