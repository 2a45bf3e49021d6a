import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ProctorError } from '../../base/errors.ts';
import { killIfThere } from '../commands/process-mark.ts';
import type { Cgroup, CgroupHome, CgroupLimits } from './cgroup.ts';
import {
  endUntilEmpty,
  keyedNumber,
  pidsIn,
  plainNumber,
  readCgroupFile,
  removeCgroupFolder,
  tryRemoveCgroupFolder,
  untilState,
  writeCgroupFile,
} from './cgroup-files.ts';

/** What may stay charged to a cgroup that serves again (caches of the kernel's): more would be the next one's loss. */
const MOST_LEFT_BYTES = 16 * 1024 ** 2;
const CONTROLLERS = ['memory', 'pids', 'cpuacct', 'freezer'] as const;
type Controller = (typeof CONTROLLERS)[number];

/** Finds writable v1 hierarchies for memory, pids, cpuacct and freezer; null when one is missing. */
export function findCgroupV1(mount: string): CgroupHome | null {
  const own = ownPaths();
  const bases = new Map<Controller, string>();
  for (const controller of CONTROLLERS) {
    const parent = join(mount, controller, own.get(controller) ?? '/');
    if (!existsSync(join(parent, 'cgroup.procs')) || !isWritable(parent)) return null;
    bases.set(controller, join(parent, 'proctor'));
  }
  for (const base of bases.values()) mkdirSync(base, { recursive: true });
  const place = JSON.stringify([...bases]);
  return {
    version: 'v1',
    place,
    make: (name, limits) => makeCgroup(pathsAt(place, name), limits),
    reopen: (name, other = place) => openCgroup(pathsAt(other, name)),
  };
}

type Paths = Record<Controller, string>;

const placeSchema = z.array(z.tuple([z.enum(CONTROLLERS), z.string().startsWith('/')]));

function pathsAt(place: string, name: string): Paths {
  const bases = placeSchema.parse(JSON.parse(place));
  return Object.fromEntries(bases.map(([controller, base]) => [controller, join(base, name)])) as Paths;
}

function makeCgroup(paths: Paths, limits: CgroupLimits): Cgroup {
  for (const path of Object.values(paths)) {
    tryRemoveCgroupFolder(path); // one that was left over may hold limits below which the new ones cannot be set
    mkdirSync(path, { recursive: true });
  }
  const held =
    writeCgroupFile(join(paths.memory, 'memory.limit_in_bytes'), limits.memoryBytes) &&
    writeCgroupFile(join(paths.pids, 'pids.max'), limits.processes);
  if (!held) throw new ProctorError('sandbox-failed', 'the cgroup did not take the limits', { paths, limits });
  writeCgroupFile(join(paths.memory, 'memory.memsw.limit_in_bytes'), limits.memoryBytes);
  writeCgroupFile(join(paths.memory, 'memory.swappiness'), 0);
  return openCgroup(paths);
}

function below(paths: Paths, name: string): Paths {
  return Object.fromEntries(Object.entries(paths).map(([controller, path]) => [controller, join(path, name)])) as Paths;
}

/** A frozen process takes its end only when it is thawed. */
function endIn(paths: Paths): Promise<void> {
  const pids = () => pidsIn(paths.pids);
  return endUntilEmpty(pids, () => {
    for (const pid of pids()) killIfThere(pid);
    writeCgroupFile(join(paths.freezer, 'freezer.state'), 'THAWED');
  });
}

/** In the hierarchies that limit it stays where its service is: at the root of this process's own place, which only the machine limits. */
function exemptIn(paths: Paths): Paths {
  const own = below(paths, 'exempt');
  const outside = (controller: Controller) => join(dirname(paths[controller]), 'exempt');
  return { ...own, memory: outside('memory') };
}

function openCgroup(paths: Paths): Cgroup {
  const freezerState = join(paths.freezer, 'freezer.state');
  const number = (path: string) => plainNumber(path) ?? Number.NaN;
  const joinPaths = Object.values(paths).map((path) => join(path, 'cgroup.procs'));
  return {
    joinPaths,
    join(pid) {
      for (const path of joinPaths) {
        if (!writeCgroupFile(path, pid)) {
          throw new ProctorError('sandbox-failed', 'the process could not be moved into its cgroup', { path, pid });
        }
      }
    },
    cpuMs: () => number(join(paths.cpuacct, 'cpuacct.usage')) / 1e6,
    memoryPeakBytes: () => number(join(paths.memory, 'memory.max_usage_in_bytes')),
    outOfMemoryKills: () => keyedNumber(readCgroupFile(join(paths.memory, 'memory.oom_control')), 'oom_kill'),
    async freeze() {
      writeCgroupFile(freezerState, 'FROZEN');
      const frozen = await untilState(() => readCgroupFile(freezerState)?.trim() === 'FROZEN', 2_000);
      if (!frozen) throw new ProctorError('sandbox-failed', 'the sandbox did not freeze within 2 s');
    },
    thaw: () => void writeCgroupFile(freezerState, 'THAWED'),
    pids: () => pidsIn(paths.pids),
    renew: () =>
      pidsIn(paths.pids).length === 0 &&
      number(join(paths.memory, 'memory.usage_in_bytes')) <= MOST_LEFT_BYTES &&
      writeCgroupFile(join(paths.memory, 'memory.max_usage_in_bytes'), 0) &&
      writeCgroupFile(join(paths.cpuacct, 'cpuacct.usage'), 0),
    remove() {
      for (const path of Object.values(paths)) removeCgroupFolder(path);
    },
    processPeak: () => plainNumber(join(paths.pids, 'pids.peak')),
    child(name) {
      const childPaths = below(paths, name);
      for (const path of Object.values(childPaths)) mkdirSync(path, { recursive: true });
      return openCgroup(childPaths);
    },
    exempt() {
      const own = exemptIn(paths);
      for (const path of Object.values(own)) mkdirSync(path, { recursive: true });
      return openCgroup(own);
    },
    endAll: () => endIn(paths),
  };
}

/** This process's own place in each v1 hierarchy, from /proc/self/cgroup (`4:memory:/path`). */
function ownPaths(): ReadonlyMap<string, string> {
  const lines = (readCgroupFile('/proc/self/cgroup') ?? '').split('\n').filter(Boolean);
  const own = new Map<string, string>();
  for (const line of lines) {
    const [, controllers = '', ...path] = line.split(':');
    for (const controller of controllers.split(',')) own.set(controller, path.join(':'));
  }
  return own;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
