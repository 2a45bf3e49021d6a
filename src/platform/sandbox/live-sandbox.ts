import type { Readable, Writable } from 'node:stream';
import type { Ending, Sandbox, SandboxDriver, SandboxLimits, SandboxSpec } from './sandbox.ts';

/** What a sandbox in which processes live on is made of; `tools` are copied, so that they are there as long as it is. */
export interface LiveSpec extends SandboxSpec {
  /** How long it may be there at most, in milliseconds; whoever clears the machine ends it after that. */
  readonly lifeMs: number;
  /** How many processors its programs, and what traces them, may use together; by default all of this machine's. */
  readonly cpus?: number;
}

/** One command in a live sandbox. `argv` is never a shell string. */
export interface StepCommand {
  readonly argv: readonly [string, ...string[]];
  /** Inside the sandbox; a folder that cannot be entered is the program's failure (exit code 126). */
  readonly cwd: string;
  /** All of the environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly wallMs: number;
  /** Standard output and standard error together, in bytes; more ends the step. */
  readonly outputBytes: number;
  /** What is started on the host around it, to watch it; none by default. */
  readonly tracer?: StepTracer;
}

/** A program of the host that starts the one after its arguments, as `strace` does. */
export interface StepTracer {
  readonly argv: readonly [string, ...string[]];
  /** A path that nobody else knows: the last thing that is opened before the program begins. */
  readonly marker: string;
}

/** A call that the sandbox denies, as the kernel told it to a listener outside. */
export interface RefusedCall {
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Of the process, on the host. */
  readonly pid: number;
  /** Its x86-64 number. */
  readonly number: number;
  /** The six arguments, in decimal. */
  readonly args: readonly string[];
}

/** How a step ended, and what it used. */
export interface StepEnd {
  readonly ending: Ending;
  readonly wallMs: number;
  /** Of all its processes until its program ended. */
  readonly cpuMs: number;
  readonly memoryPeakBytes: number | null;
  readonly processPeak: number | null;
}

/** Where a program finds a pipe to the service on which it may tell things; descriptor number. */
export const TELL_DESCRIPTOR = 9;
/** What is read from that pipe at most, in bytes. */
export const TOLD_BYTES = 262_144;

/** A step that is running. */
export interface RunningStep {
  readonly stdin: Writable;
  /** The readers must drain these; what the program left running may still write to them when it has ended. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** What was written to {@link TELL_DESCRIPTOR} until the program ended, at most {@link TOLD_BYTES}; the program's word only. */
  told(): Buffer;
  /** Resolves when its program has ended, or was ended with all that it started; rejects only for platform faults. */
  readonly ended: Promise<StepEnd>;
  /** Resolves when nothing that it started is left, also not in the background. */
  readonly gone: Promise<void>;
  /** Calls that were denied so far, the first {@link REFUSED_KEPT} of them. */
  refused(): { readonly calls: readonly RefusedCall[]; readonly more: number };
  /** Once {@link gone}: whether its denied calls were told until nothing of it was left. */
  wasFollowed(): boolean;
  /** Ends it and all that it started. */
  end(reason: Ending): void;
  /** Lets go of what it left running, so that it keeps this process from nothing; it is told no more. */
  leave(): void;
}

/** How many denied calls of one step are kept with their arguments. */
export const REFUSED_KEPT = 1_000;

/** Enough to find a live sandbox again from another process. */
export interface LivePlace {
  readonly slot: { readonly name: string; readonly uid: number; readonly folder: string; readonly note: string | null };
  readonly first: { readonly pid: number; readonly mark: string | null };
  /** Flags of setns(2) for the namespaces that are its own. */
  readonly namespaces: number;
  /** The uid that its programs have, as its own user namespace counts. */
  readonly uidInside: number;
  /** The processors that are its own, by number; null: all. */
  readonly cpus: readonly number[] | null;
  /** What its launcher must know to remove it; null: nothing but its processes. */
  readonly handle: string | null;
  readonly limits: SandboxLimits;
}

/** A sandbox whose namespaces, processes and /tmp live on between its steps. */
export interface LiveSandbox extends Pick<Sandbox, 'id' | 'workFolder' | 'writeFile' | 'readFile' | 'removeFile'> {
  /** Starts a step; `sandbox-failed` when that is not possible. */
  step(command: StepCommand): Promise<RunningStep>;
  /** A folder of the host that goes with it and that nothing inside can see. */
  readonly hostFolder: string;
  readonly place: LivePlace;
  /** From now on it may be there for so long, in milliseconds. */
  extend(lifeMs: number): void;
  /** Whether its first process is there. */
  isAlive(): boolean;
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  usage: Sandbox['usage'];
  /** Ends all its processes; its files stay until {@link destroy}. */
  endAll(): Promise<void>;
  destroy(): Promise<void>;
  /** Leaves it to whoever adopts it: nothing in it is ended. */
  leave(): void;
}

/** A driver whose sandboxes may live on between commands. */
export interface LiveDriver extends SandboxDriver {
  /** Makes a sandbox whose processes live on between its steps. `capability-missing` where steps cannot be held apart. */
  open(spec: LiveSpec): Promise<LiveSandbox>;
  /** Takes over a live sandbox whose process is gone; null when it is there no more, `held` while a process has it. */
  adopt(place: LivePlace): Promise<LiveSandbox | 'held' | null>;
}
