import type { Cgroup, CgroupHome } from '../cgroup/cgroup.ts';
import type { Capabilities, Command, SandboxLimits, SandboxRoot } from '../sandbox.ts';
import type { HostHelper } from './host-helper.ts';
import type { CommandPipes } from './pipes.ts';
import type { FirstProcess, WaitStatus } from './status-stream.ts';

/** A command that is being started in namespaces of its own. */
export interface Launched {
  /** The first process of its pid namespace; null when there never was one. */
  readonly first: Promise<FirstProcess | null>;
  /** Resolves when the launcher knows that nothing is left of it; rejects with what failed of the platform. */
  readonly gone: Promise<void>;
  isGone(): boolean;
  /** Resolves when the files that came along are in place, or when it is over. */
  readonly placed: Promise<void>;
  /** The program's wait status, once it was told by somebody whom the program cannot imitate. */
  told(): WaitStatus | null;
  /** Puts the first process where it belongs and lets the program begin. */
  begin(first: FirstProcess): void;
  /** Ends it where there is no first process to end. */
  abort(): void;
}

/** Starts commands in fresh namespaces over a sandbox's own files. */
export interface Launcher {
  readonly name: string;
  /** What it can do on this machine, found by trying. */
  probe(cgroups: CgroupHome | null): Capabilities;
  /** Whether files may come with the first command of a sandbox instead of being written before. */
  readonly takesFiles: boolean;
  /** Throws, with all given descriptors closed, when nothing was started. */
  launch(home: CommandHome, command: Command, pipes: CommandPipes): Launched;
  close(): Promise<void>;
}

/** What commands in namespaces hold: for the sandbox as a whole with cgroups and a uid of its own, else less. */
export function heldLimits(cgroups: CgroupHome | null, ownUid: boolean): Capabilities['limits'] {
  const byCgroup = cgroups === null ? 'per-process' : 'total';
  return {
    ...{ wall: 'total', cpu: byCgroup, memory: byCgroup, processes: 'total', output: 'total' },
    ...{ fileSize: 'total', disk: ownUid ? 'total' : 'per-process' },
  };
}

/** A file that comes with a command, beneath /work. */
export interface NewFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** What a command needs of its sandbox. */
export interface CommandHome {
  /** To be made in /work, which is still empty, before the program runs. */
  readonly files: readonly NewFile[];
  readonly launcher: Launcher;
  readonly helper: HostHelper;
  readonly root: SandboxRoot;
  readonly limits: SandboxLimits;
  readonly workFolder: string;
  readonly etcFolder: string;
  readonly tools: Readonly<Record<string, string>>;
  readonly uid: number | null;
  readonly cgroup: Cgroup | null;
  readonly seccompFile: string | null;
}
