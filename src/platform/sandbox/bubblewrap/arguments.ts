import {
  DEFAULT_ENVIRONMENT,
  INSIDE_UID,
  MASKED_HOST_FOLDERS,
  rlimitsOf,
  SHM_BYTES,
  TMP_BYTES,
  USR_LINKS,
} from '../commands/program.ts';
import type { Command, SandboxLimits, SandboxRoot } from '../sandbox.ts';
import { underInit } from './init-script.ts';

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
    ...[
      '--unshare-all',
      '--unshare-user',
      '--disable-userns',
      '--uid',
      String(INSIDE_UID),
      '--gid',
      String(INSIDE_UID),
    ],
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
    ...['--', ...underInit(descriptors.ended, rlimitsOf(plan.limits, plan.memoryPerProcess), command.argv)],
  ];
}

function rootArguments({ root, etcFolder }: BwrapPlan): readonly string[] {
  if (root.kind === 'directory') return ['--ro-bind', root.path, '/'];
  return [
    ...['--ro-bind', '/usr', '/usr'],
    ...MASKED_HOST_FOLDERS.flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    ...USR_LINKS.flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...['--ro-bind', etcFolder, '/etc'],
  ];
}
