import type { Cgroup, CgroupHome } from '../cgroup/cgroup.ts';
import type { LivePlace } from '../live-sandbox.ts';
import type { Capabilities, Command, SandboxLimits, SandboxLink, SandboxRoot } from '../sandbox.ts';
import type { HostHelper } from './host-helper.ts';
import { openLink } from './link.ts';
import { type CommandPipes, closeStreams, openPipes, type ProgramStreams } from './pipes.ts';
import type { FirstProcess, WaitStatus } from './status-stream.ts';

/** A command that is being started in namespaces of its own. */
export interface Launched {
  readonly streams: ProgramStreams;
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
  probe(cgroups: CgroupHome | null): Promise<Capabilities>;
  /** Whether files may come with the first command of a sandbox instead of being written before. */
  readonly takesFiles: boolean;
  /** Goes to a new sandbox, whose commands it will start. */
  enter(home: CommandHome): Entrance;
  /** Starts the first process of a live sandbox, which stays until it is ended, whatever becomes of this process; resolves once it holds. */
  hold(home: HoldHome): Promise<Held>;
  /** Removes what is left of a held sandbox, whose processes are over, by its handle. */
  release(handle: string | null): Promise<void>;
  /** Makes a link that its commands can be given. */
  link(helper: HostHelper): Promise<SandboxLink>;
  /** Makes ready what sandboxes of this root start from; tells what that is. */
  prepareRoot(root: SandboxRoot): Promise<string>;
  /** Ends and removes what launchers of dead services left. */
  reap(): Promise<void>;
  close(): Promise<void>;
}

/** What a live sandbox is held in. */
export interface HoldHome extends Pick<CommandHome, 'root' | 'limits' | 'workFolder' | 'etcFolder' | 'tools'> {
  readonly uid: number;
  /** Of the first process alone. */
  readonly cgroup: Cgroup;
  readonly sandboxId: string;
}

/** The first process of a live sandbox, in its cgroup. */
export interface Held extends Pick<LivePlace, 'namespaces' | 'uidInside' | 'handle'> {
  readonly first: FirstProcess;
}

/** What starts the commands of one sandbox. */
export interface Entrance {
  /** Starts a command, with `files` to be made in /work, which is still empty, before the program runs. Rejects when nothing was started. */
  launch(command: Command, files: readonly NewFile[]): Promise<Launched>;
  /** Removes what no command has used; its commands are over. */
  close(): Promise<void>;
}

/** What starts one command over pipes; it throws when nothing was started. */
export type LaunchOverPipes = (start: {
  readonly home: CommandHome;
  readonly command: Command;
  readonly files: readonly NewFile[];
  readonly pipes: CommandPipes;
}) => Launched;

/** The parts of a launcher whose commands are processes of this machine that are given descriptors. */
export function overPipes(launch: LaunchOverPipes): Pick<Launcher, 'enter' | 'link' | 'prepareRoot' | 'reap'> {
  return {
    enter: (home) => ({
      async launch(command, files) {
        const pipes = await openPipes(home.helper, home.uid);
        try {
          return launch({ home, command, files, pipes });
        } catch (thrown) {
          closeStreams(pipes);
          throw thrown;
        }
      },
      close: async () => undefined,
    }),
    link: openLink,
    prepareRoot: async (root) => (root.kind === 'host' ? '/usr' : root.path),
    reap: async () => undefined,
  };
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

/** What commands need of their sandbox. */
export interface CommandHome {
  readonly sandboxId: string;
  readonly helper: HostHelper;
  readonly root: SandboxRoot;
  readonly limits: SandboxLimits;
  readonly workFolder: string;
  readonly etcFolder: string;
  readonly tools: Readonly<Record<string, string>>;
  readonly uid: number | null;
  readonly cgroup: Cgroup | null;
  readonly seccompFile: string | null;
  /** Told that a program begins, which may run for so long. */
  readonly begins: (wallMs: number) => void;
}
