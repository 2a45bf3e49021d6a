import { existsSync, readFileSync } from 'node:fs';
import type { SandboxLimits } from '../sandbox.ts';

/** The user that every program is, seen from inside; outside it is the uid of its slot. */
export const INSIDE_UID = 1000;

/** Scratch space outside /work: /tmp and /dev/shm, in bytes. */
export const TMP_BYTES = 64 * 1024 * 1024;
export const SHM_BYTES = 16 * 1024 * 1024;

/** Descriptors of one program. */
const OPEN_FILES = 1_024;

/** Host folders beneath /usr that are not the distribution's and may hold anything, even this repository. */
export const MASKED_HOST_FOLDERS = ['/usr/local', '/usr/src', '/usr/lib/node_modules'].filter((path) =>
  existsSync(path),
);

/** Links at the root of a merged /usr, as this host has them. */
export const USR_LINKS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].filter((name) =>
  existsSync(`/usr/${name}`),
);

/** The environment of every program, before what its command adds. */
export const DEFAULT_ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  HOME: '/tmp',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  PYTHONDONTWRITEBYTECODE: '1',
};

/** A resource of getrlimit(2) by its number on Linux, with its soft and hard limit. */
export type Rlimit = readonly [resource: number, soft: number, hard: number];

/** Numbers of getrlimit(2) on Linux. */
const RESOURCE = { cpu: 0, fileSize: 1, core: 4, processes: 6, openFiles: 7, addressSpace: 9 };

/** rlimits hold where a cgroup cannot (or beside it): per process, except the number of processes. */
export function rlimitsOf(limits: SandboxLimits, memoryPerProcess: boolean): readonly Rlimit[] {
  const cpuSeconds = Math.ceil(limits.cpuMs / 1000);
  const openFiles = Math.min(OPEN_FILES, HARD_OPEN_FILES);
  return [
    [RESOURCE.core, 0, 0],
    [RESOURCE.cpu, cpuSeconds, cpuSeconds + 1], // SIGXCPU first, which tells what happened; SIGKILL for who ignores it
    [RESOURCE.fileSize, limits.fileBytes, limits.fileBytes],
    [RESOURCE.processes, limits.processes, limits.processes],
    [RESOURCE.openFiles, openFiles, openFiles],
    ...(memoryPerProcess ? [[RESOURCE.addressSpace, limits.memoryBytes, limits.memoryBytes] as const] : []),
  ];
}

/** This process's own hard limit, which a child cannot raise (proc_pid_limits(5)). */
const HARD_OPEN_FILES = Number(
  readFileSync('/proc/self/limits', 'latin1').match(/^Max open files\s+\S+\s+(\d+)/m)?.[1] ?? Number.POSITIVE_INFINITY,
);

/** Numbers of prctl(2), prlimit(2) and dup3(2) for programs in Perl; none that exist on a processor that is not known here. */
export const SYSCALLS = { x64: { prctl: 157, prlimit: 302, dup: 292 }, arm64: { prctl: 167, prlimit: 261, dup: 24 } }[
  process.arch as string
] ?? { prctl: -1, prlimit: -1, dup: -1 };
