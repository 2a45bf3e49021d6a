import {
  DEFAULT_ENVIRONMENT,
  INSIDE_UID,
  MASKED_HOST_FOLDERS,
  SHM_BYTES,
  TMP_BYTES,
  USR_LINKS,
} from '../commands/program.ts';
import type { SandboxRoot } from '../sandbox.ts';

/** What one `bwrap` call needs to know. */
export interface BwrapPlan {
  readonly root: SandboxRoot;
  readonly workFolder: string;
  readonly etcFolder: string;
  readonly tools: Readonly<Record<string, string>>;
  /** What runs as the first process, with its arguments. */
  readonly program: readonly string[];
  /** Beside the default one; none by default. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** `/work` by default. */
  readonly cwd?: string | undefined;
  /** Whether it lives on when this process ends; by default it is ended then. */
  readonly outlives?: boolean;
  /** Descriptor numbers in the spawned process. */
  readonly descriptors: { readonly status: number; readonly gate: number; readonly seccomp: number | null };
}

/** The arguments of `bwrap` for one command: all namespaces, read-only system, fresh /proc /dev /tmp, no network. */
export function bwrapArguments(plan: BwrapPlan): readonly string[] {
  const { descriptors } = plan;
  const environment = { ...DEFAULT_ENVIRONMENT, ...plan.env };
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
    ...(plan.outlives === true ? [] : ['--die-with-parent']),
    ...['--hostname', 'sandbox', '--new-session', '--as-pid-1', '--cap-drop', 'ALL'],
    ...rootArguments(plan),
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(SHM_BYTES), '--tmpfs', '/dev/shm'],
    ...['--remount-ro', '/dev', '--size', String(TMP_BYTES), '--tmpfs', '/tmp', '--tmpfs', '/proctor'],
    ...Object.entries(plan.tools).flatMap(([name, path]) => ['--ro-bind', path, `/proctor/${name}`]),
    ...['--remount-ro', '/proctor', '--bind', plan.workFolder, '/work', '--chdir', plan.cwd ?? '/work'],
    ...(plan.root.kind === 'host' ? ['--remount-ro', '/'] : []),
    ...['--json-status-fd', String(descriptors.status), '--block-fd', String(descriptors.gate)],
    ...(descriptors.seccomp === null ? [] : ['--seccomp', String(descriptors.seccomp)]),
    ...['--clearenv', ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value])],
    ...['--', ...plan.program],
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
