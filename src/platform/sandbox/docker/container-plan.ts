import type Docker from 'dockerode';
import type { CommandHome } from '../commands/launcher.ts';
import { DEFAULT_ENVIRONMENT, MASKED_HOST_FOLDERS, SHM_BYTES, TMP_BYTES } from '../commands/program.ts';
import { seccompProfile } from '../seccomp-profile.ts';

/** Where a container finds the ends of its link. */
export const LINK_FOLDER = '/proctor/link';
/** Marks all that this program makes: the process that made it, as `PID:STARTTIME`, and the sandbox. */
export const LABELS = {
  owner: 'dev.proctor.owner',
  sandbox: 'dev.proctor.sandbox',
  outlives: 'dev.proctor.outlives',
} as const;

/** Processes of the runtime itself, which are in the container until the gate is. */
const RUNTIME_PROCESSES = 32;
/** Less than this the engine does not take, or the runtime does not start in. */
const LEAST_MEMORY_BYTES = 64 * 1024 ** 2;
const OOM_SCORE = 500;
const SECCOMP = `seccomp=${JSON.stringify(seccompProfile())}`;

/** What one container needs to know. */
export interface ContainerPlan {
  readonly home: Pick<CommandHome, 'root' | 'limits' | 'workFolder' | 'uid' | 'sandboxId'> & {
    readonly tools: Readonly<Record<string, string>>;
    readonly hasFilter: boolean;
  };
  readonly imageId: string;
  readonly runtime: string;
  readonly owner: string;
  /** The host's folder that is shown as {@link LINK_FOLDER}; null where its commands have no links. */
  readonly linkFolder: string | null;
  /** Its first process, with arguments. */
  readonly program: readonly string[];
  /** Whether it lives on when this process ends. */
  readonly outlives: boolean;
  readonly remapsUsers: boolean;
}

/**
 * A container with nothing but /work to write to (and a bounded /tmp), no network, no capabilities, the uid of its slot, and
 * its gate. The limits of `HostConfig` hold while it starts; the sandbox's own cgroup, which its first process joins before
 * there is a command, holds them for all commands of the sandbox together.
 */
export function containerOf(plan: ContainerPlan): Docker.ContainerCreateOptions {
  const { home, owner, outlives } = plan;
  const [program, ...rest] = plan.program as [string, ...string[]];
  return {
    Image: plan.imageId,
    Entrypoint: [program],
    Cmd: rest,
    User: `${home.uid}:${home.uid}`,
    WorkingDir: '/',
    Hostname: 'sandbox',
    Env: [`PATH=${DEFAULT_ENVIRONMENT.PATH}`],
    Labels: {
      [LABELS.owner]: owner,
      [LABELS.sandbox]: home.sandboxId,
      ...(outlives ? { [LABELS.outlives]: 'true' } : {}),
    },
    Healthcheck: { Test: ['NONE'] },
    StopSignal: 'SIGKILL', // an engine that ends has nothing to wait for
    ...(outlives ? {} : ATTACHED),
    Tty: false,
    HostConfig: hostConfigOf(plan),
  };
}

/** A command's streams go by the service. */
const ATTACHED = { AttachStdin: true, AttachStdout: true, AttachStderr: true, OpenStdin: true, StdinOnce: true };

function hostConfigOf({ home, runtime, linkFolder, remapsUsers }: ContainerPlan): Docker.HostConfig {
  const memory = Math.max(home.limits.memoryBytes, LEAST_MEMORY_BYTES);
  return {
    Runtime: runtime,
    NetworkMode: 'none',
    IpcMode: 'private',
    ...(remapsUsers ? { UsernsMode: 'host' } : {}), // /work belongs to the slot's uid, which no other sandbox has
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    // on a processor that the filter does not know the engine's own serves: this one would end every call
    SecurityOpt: ['no-new-privileges', ...(home.hasFilter ? [SECCOMP] : [])],
    ...{ Memory: memory, MemorySwap: memory, PidsLimit: home.limits.processes + RUNTIME_PROCESSES },
    OomScoreAdj: OOM_SCORE,
    ShmSize: SHM_BYTES,
    LogConfig: { Type: 'none', Config: {} },
    Tmpfs: { '/tmp': `rw,nosuid,nodev,exec,mode=1777,size=${TMP_BYTES}` },
    Binds: [
      `${home.workFolder}:/work:rw`,
      ...(linkFolder === null ? [] : [`${linkFolder}:${LINK_FOLDER}:ro`]),
      ...Object.entries(home.tools).map(([name, path]) => `${path}:/proctor/${name}:ro`),
      ...(home.root.kind === 'host' ? ['/usr:/usr:ro'] : []),
    ],
    Mounts: [...(home.root.kind === 'host' ? MASKED_HOST_FOLDERS : []), '/sys', '/sys/fs/cgroup'].map((path) => ({
      ...{ Type: 'tmpfs' as const, Source: '', Target: path, ReadOnly: true },
      TmpfsOptions: { SizeBytes: 4096, Mode: 0o555 },
    })),
  };
}
