import type { Readable, Writable } from 'node:stream';
import type { ReadOutcome } from '../base/beneath.ts';
import type { Digest } from '../base/digest.ts';

/** Limits of one sandbox. All are held for the sandbox as a whole where the driver can, else per process (see `Capabilities`). */
export interface SandboxLimits {
  /** Wall time of one command. */
  readonly wallMs: number;
  /** CPU time of one command with all its children. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
  /** Processes and threads alive at once. */
  readonly processes: number;
  /** Standard output and standard error of one command, together. */
  readonly outputBytes: number;
  /** Largest single file. */
  readonly fileBytes: number;
  /** The work folder with all its files. */
  readonly diskBytes: number;
}

/** Where a sandbox's file system comes from. `digest` names every byte of the folder. */
export type SandboxRoot =
  | { readonly kind: 'host' }
  | { readonly kind: 'directory'; readonly path: string; readonly digest: Digest };

/**
 * What stands between a program and the host, from weakest to strongest: namespaces that a program of ours makes, a container
 * engine's, a kernel in user space (gVisor), a virtual machine.
 */
export const ISOLATION_TIERS = ['namespaced', 'container', 'user-space-kernel', 'micro-vm'] as const;
export type IsolationTier = (typeof ISOLATION_TIERS)[number];

/** What a sandbox is made of. */
export interface SandboxSpec {
  readonly root: SandboxRoot;
  readonly limits: SandboxLimits;
  /** Folders of the service that are shown read-only beneath `/proctor/`, by name. */
  readonly tools?: Readonly<Record<string, string>>;
  /** What the task cannot do without; the driver refuses (`capability-missing`) before start. */
  readonly needs?: readonly Need[];
  /** The least that may stand between it and the host; `namespaced` by default. Refused before start like `needs`. */
  readonly isolation?: IsolationTier;
}

/** Capabilities that a task may demand. */
export type Need = 'freeze' | 'memory-total' | 'disk-total' | 'own-uid' | 'seccomp';

/** How well a limit is held: for the whole sandbox, for each process alone, or not at all. */
export type Hold = 'total' | 'per-process' | 'none';

/** What a driver can do on this machine, found by trying. */
export interface Capabilities {
  readonly driver: string;
  readonly usable: boolean;
  /** Why not, with the line to run, when `usable` is false; else remarks. */
  readonly remarks: readonly string[];
  readonly cgroup: 'v1' | 'v2' | 'none';
  readonly limits: Readonly<Record<'wall' | 'cpu' | 'memory' | 'processes' | 'output' | 'fileSize' | 'disk', Hold>>;
  /** The strongest that it can give. */
  readonly isolation: IsolationTier;
  readonly freeze: boolean;
  readonly ownUid: boolean;
  readonly seccomp: boolean;
}

/** One program's end of a {@link SandboxLink}: descriptors of this process. */
export interface LinkEnd {
  readonly read: number;
  readonly write: number;
}

/** A stream both ways between programs of two sandboxes, past this process: what is said on it is never seen here. */
export interface SandboxLink {
  readonly ends: readonly [LinkEnd, LinkEnd];
  /** Throws away what waits to be read at one end; only while no program reads there. */
  drain(end: LinkEnd): void;
  /** Closes this process's descriptors. May be called again. */
  close(): void;
}

/** Where a program finds its end of a link. */
export const LINK_DESCRIPTORS = { read: 7, write: 8 } as const;

/**
 * Says that a Python program of ours (`python3 -I -B PROGRAM ARGUMENT...`, with `main(pause)` and `leave()`) may also run as a
 * clone of a process that has done beforehand what comes before `pause()`. Drivers that have no such processes run it as it is.
 */
export interface Prepared {
  /** What is prepared beyond the program itself: programs of the same key may be clones of one process. */
  readonly key: string;
  /** Arguments that the process is prepared with. */
  readonly arguments: readonly string[];
  /** Files beneath its own /work meanwhile. */
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
  /** Serves until this is prepared, and alone where this is asked for only once. */
  readonly otherwise?: Prepared;
}

/** A program to run. `argv` is never a shell string. */
export interface Command {
  readonly argv: readonly [string, ...string[]];
  /** Inside the sandbox; `/work` by default. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  /** Tighter than the sandbox's own. */
  readonly wallMs?: number;
  /** Shown to the program as {@link LINK_DESCRIPTORS}. */
  readonly link?: LinkEnd;
  readonly prepared?: Prepared;
}

/** How a program ended. What the program did is data; what the platform failed to do is an error. */
export type Ending =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: number }
  | { readonly kind: 'timed-out'; readonly clock: 'wall' | 'cpu' }
  | { readonly kind: 'out-of-memory' }
  | { readonly kind: 'too-much-output' }
  | { readonly kind: 'stopped' };

/** What a finished command left. */
export interface ExecResult {
  readonly ending: Ending;
  readonly stdout: Buffer;
  /** The last 64 KiB. */
  readonly stderr: Buffer;
  readonly wallMs: number;
  /** CPU of the sandbox since the command began; null where it cannot be told. */
  readonly cpuMs: number | null;
}

/** A command that is running. The reader of `stdout` must drain it. */
export interface RunningCommand {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the program and all its children are gone; rejects only for platform faults. */
  readonly ended: Promise<Omit<ExecResult, 'stdout'>>;
  /** Ends it and everything that it started; `ending` becomes `stopped`. */
  stop(): void;
}

/** What a sandbox has used so far; null where it cannot be told. */
export interface Usage {
  readonly cpuMs: number | null;
  readonly memoryPeakBytes: number | null;
  readonly diskBytes: number | null;
}

/** One isolated place to run commands in. Files live in `/work` and stay until `destroy`. */
export interface Sandbox {
  readonly id: string;
  /** Runs a command to its end. Rejects only for platform faults (`sandbox-failed`). */
  exec(command: Command): Promise<ExecResult>;
  start(command: Command): Promise<RunningCommand>;
  /** Writes a file beneath `/work`, never through a link. */
  writeFile(path: string, bytes: Uint8Array, mode?: number): Promise<void>;
  /** Reads a regular file beneath `/work`, never through a link. */
  readFile(path: string, bounds: { maxBytes: number }): Promise<ReadOutcome>;
  /** Removes a file or link beneath `/work`, if there is one. */
  removeFile(path: string): Promise<void>;
  /** The work folder as the service sees it; hostile: open nothing in it except through `base/beneath`. */
  readonly workFolder: string;
  /** Stops every process in it where it stands; `capability-missing` where the driver cannot. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  usage(): Promise<Usage>;
  /** Ends all processes and removes all traces. May be called again. */
  destroy(): Promise<void>;
}

/** What was cleared away, in sandboxes. */
export interface Reaped {
  /** Of services that are dead. */
  readonly removed: number;
  /** Whose programs ran on although their time was over; their service is alive but did not end them. */
  readonly overdue: number;
  /** That could not be cleared away; the next time tries again. */
  readonly failed: number;
}

/** Makes sandboxes of one kind. */
export interface SandboxDriver {
  readonly name: string;
  capabilities(): Promise<Capabilities>;
  create(spec: SandboxSpec): Promise<Sandbox>;
  /** Makes ready what sandboxes of this root start from, so that the first need not wait; tells what that is: a folder, or an image. */
  prepareRoot(root: SandboxRoot): Promise<string>;
  /** Makes a link for programs of two of its sandboxes; the caller closes it. */
  link(): Promise<SandboxLink>;
  /** Removes what dead services of this machine left behind, and ends what runs past its deadline, whoever began it. */
  reap(): Promise<Reaped>;
  /** Destroys what is left and ends the driver's own helpers. */
  close(): Promise<void>;
}
