import { existsSync, readFileSync } from 'node:fs';
import type { Command, SandboxLimits, SandboxRoot } from '../sandbox.ts';
import { type Rlimit, underInit } from './init-script.ts';

/** The user that every program is, seen from inside; outside it is the uid of its slot. */
const INSIDE_UID = '1000';

/** Scratch space outside /work: /tmp and /dev/shm, in bytes. */
const TMP_BYTES = 64 * 1024 * 1024;
const SHM_BYTES = 16 * 1024 * 1024;

/** Descriptors of one program. */
const OPEN_FILES = 1_024;

/** Host folders beneath /usr that are not the distribution's and may hold anything, even this repository. */
const MASKED_HOST_FOLDERS = ['/usr/local', '/usr/src', '/usr/lib/node_modules'];

const DEFAULT_ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  HOME: '/tmp',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  PYTHONDONTWRITEBYTECODE: '1',
};

/** What one `bwrap` call needs to know. */
export interface BwrapPlan {
  readonly root: SandboxRoot;
  readonly limits: SandboxLimits;
  readonly workFolder: string;
  readonly etcFolder: string;
  readonly tools: Readonly<Record<string, string>>;
  readonly memoryPerProcess: boolean;
  readonly command: Command;
  /** Descriptor numbers in the spawned process. */
  readonly descriptors: {
    readonly status: number;
    readonly gate: number;
    readonly ended: number;
    readonly seccomp: number | null;
  };
}

/** The arguments of `bwrap` for one command: all namespaces, read-only system, fresh /proc /dev /tmp, no network. */
export function bwrapArguments(plan: BwrapPlan): readonly string[] {
  const { descriptors, command } = plan;
  const environment = { ...DEFAULT_ENVIRONMENT, ...command.env };
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--uid', INSIDE_UID, '--gid', INSIDE_UID],
    ...['--hostname', 'sandbox', '--die-with-parent', '--new-session', '--as-pid-1', '--cap-drop', 'ALL'],
    ...rootArguments(plan),
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(SHM_BYTES), '--tmpfs', '/dev/shm'],
    ...['--remount-ro', '/dev', '--size', String(TMP_BYTES), '--tmpfs', '/tmp', '--tmpfs', '/proctor'],
    ...Object.entries(plan.tools).flatMap(([name, path]) => ['--ro-bind', path, `/proctor/${name}`]),
    ...['--remount-ro', '/proctor', '--bind', plan.workFolder, '/work', '--chdir', command.cwd ?? '/work'],
    ...(plan.root.kind === 'host' ? ['--remount-ro', '/'] : []),
    ...['--json-status-fd', String(descriptors.status), '--block-fd', String(descriptors.gate)],
    ...(descriptors.seccomp === null ? [] : ['--seccomp', String(descriptors.seccomp)]),
    ...['--clearenv', ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value])],
    ...['--', ...underInit(descriptors.ended, rlimits(plan), command.argv)],
  ];
}

function rootArguments({ root, etcFolder }: BwrapPlan): readonly string[] {
  if (root.kind === 'directory') return ['--ro-bind', root.path, '/'];
  const links = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].filter((name) => existsSync(`/usr/${name}`));
  return [
    ...['--ro-bind', '/usr', '/usr'],
    ...MASKED_HOST_FOLDERS.filter(existsSync).flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    ...links.flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...['--ro-bind', etcFolder, '/etc'],
  ];
}

/** Numbers of getrlimit(2) on Linux. */
const RESOURCE = { cpu: 0, fileSize: 1, core: 4, processes: 6, openFiles: 7, addressSpace: 9 };

/** rlimits hold where a cgroup cannot (or beside it): per process, except the number of processes. */
function rlimits({ limits, memoryPerProcess }: BwrapPlan): readonly Rlimit[] {
  const cpuSeconds = Math.ceil(limits.cpuMs / 1000);
  const openFiles = Math.min(OPEN_FILES, hardOpenFiles());
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
function hardOpenFiles(): number {
  const hard = readFileSync('/proc/self/limits', 'latin1').match(/^Max open files\s+\S+\s+(\d+)/m)?.[1];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}
