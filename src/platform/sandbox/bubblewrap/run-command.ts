import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { ProctorError } from '../../base/errors.ts';
import type { Cgroup } from '../cgroup/cgroup.ts';
import type { Command, Ending, ExecResult, RunningCommand, SandboxLimits, SandboxRoot } from '../sandbox.ts';
import { bwrapArguments } from './arguments.ts';
import type { HostHelper } from './host-helper.ts';
import { inheritedDescriptors } from './inherited-descriptors.ts';
import { type CommandPipes, openPipes } from './pipes.ts';
import { type BwrapStatus, readStatus } from './status-stream.ts';
import { TailBuffer } from './tail-buffer.ts';
import { watchLimits } from './watch-limits.ts';

/** What a command needs of its sandbox. */
export interface CommandHome {
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

/** Descriptor numbers in bwrap: after the three standard ones. */
const STATUS = 3;
const GATE = 4;
const SECCOMP = 5;

const INHERITED = inheritedDescriptors(SECCOMP + 1);

const STDERR_TAIL_BYTES = 65_536;
/** How long output may still be on its way once every process is gone. */
const DRAIN_MS = 300;

/** A command plus the means to end it with a reason of ours. */
export interface LiveCommand extends RunningCommand {
  end(reason: Ending): void;
  /** Counts bytes of standard output that somebody else reads. */
  countOutput(bytes: number): void;
}

/** Starts one command in fresh namespaces over the sandbox's files. */
export async function runCommand(home: CommandHome, command: Command): Promise<LiveCommand> {
  const pipes = await openPipes(home.helper, home.uid);
  const bwrap = spawnBwrap({ home, command, pipes });
  const status = readStatus(bwrap.stdio[STATUS] as Readable);
  const stderr = new TailBuffer(STDERR_TAIL_BYTES);
  let reason: Ending | null = null;
  const end = (why: Ending) => {
    reason ??= why;
    void kill(bwrap, status);
  };
  let output = 0;
  const countOutput = (bytes: number) => {
    output += bytes;
    if (output > home.limits.outputBytes) end({ kind: 'too-much-output' });
  };
  pipes.stderr.on('data', (chunk: Buffer) => {
    stderr.add(chunk);
    countOutput(chunk.length);
  });
  const ended = follow({ home, command, bwrap, status, pipes, end }).then(async (facts) => {
    const ending = decideEnding({ reason, status, ...facts, limits: home.limits });
    if (ending === null) throw bwrapFailed(stderr.bytes());
    return { ending, stderr: stderr.bytes(), wallMs: facts.wallMs, cpuMs: facts.cpuMs };
  });
  ended.catch(() => undefined);
  return { stdin: pipes.stdin, stdout: pipes.stdout, ended, stop: () => end({ kind: 'stopped' }), end, countOutput };
}

interface Launch {
  readonly home: CommandHome;
  readonly command: Command;
  readonly pipes: CommandPipes;
}

function spawnBwrap({ home, command, pipes }: Launch): ChildProcess {
  const seccomp = home.seccompFile === null ? null : openSync(home.seccompFile, 'r');
  try {
    const args = bwrapArguments({
      ...home,
      memoryPerProcess: home.cgroup === null,
      command,
      descriptors: { status: STATUS, gate: GATE, seccomp: seccomp === null ? null : SECCOMP },
    });
    const [program, ...rest] = launcher(args);
    const child = spawn(program, rest, {
      stdio: [...pipes.childEnds, 'pipe', 'pipe', ...(seccomp === null ? [] : [seccomp])],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      ...(home.uid === null ? {} : { uid: home.uid, gid: home.uid }),
    });
    for (const stream of [pipes.stdin, pipes.stdout, pipes.stderr, child.stdio[GATE] as Writable]) {
      stream.on('error', () => undefined);
    }
    return child;
  } finally {
    pipes.releaseChildEnds();
    if (seccomp !== null) closeSync(seccomp);
  }
}

/**
 * Descriptors that this process was started with are not close-on-exec and would reach the program; they are closed
 * by a shell on the way. Node marks all that it opens itself.
 */
function launcher(args: readonly string[]): [string, ...string[]] {
  if (INHERITED.length === 0) return ['bwrap', ...args];
  const closing = INHERITED.map((descriptor) => `${descriptor}>&-`).join(' ');
  return ['/bin/bash', '-c', `exec ${closing}; exec bwrap "$@"`, 'bash', ...args];
}

interface Followed extends Launch {
  readonly bwrap: ChildProcess;
  readonly status: BwrapStatus;
  readonly end: (reason: Ending) => void;
}

/** Facts from outside the sandbox about a command that is over. */
interface Facts {
  readonly wallMs: number;
  readonly cpuMs: number | null;
  readonly outOfMemoryKills: number;
  readonly released: boolean;
}

async function follow(followed: Followed): Promise<Facts> {
  const { home, bwrap, pipes } = followed;
  const gone = new Promise<void>((resolve, reject) => {
    bwrap.on('error', (cause) => reject(new ProctorError('sandbox-failed', `bwrap: ${cause.message}`, {}, { cause })));
    bwrap.on('close', () => resolve());
    bwrap.on('exit', () => setTimeout(() => destroyStreams(bwrap), DRAIN_MS).unref());
  });
  const killsBefore = home.cgroup?.outOfMemoryKills() ?? 0;
  const cpuBefore = home.cgroup?.cpuMs() ?? null;
  const released = await Promise.race([release(followed), gone.then(() => false)]);
  const startedMs = performance.now();
  const unwatch = watchLimits({ ...followed, limits: home.limits, cgroup: home.cgroup, cpuBefore });
  try {
    await gone;
  } finally {
    unwatch();
  }
  const wallMs = performance.now() - startedMs;
  await drained(pipes);
  return {
    wallMs,
    cpuMs: cpuBefore === null ? null : (home.cgroup?.cpuMs() ?? 0) - cpuBefore,
    outOfMemoryKills: (home.cgroup?.outOfMemoryKills() ?? 0) - killsBefore,
    released,
  };
}

/** Moves the sandbox's first process into its cgroup while bwrap holds it at the gate, then opens the gate. */
async function release({ home, bwrap, status, end }: Followed): Promise<boolean> {
  const pid = await status.childPid;
  if (pid === null) return false;
  const gate = bwrap.stdio[GATE] as Writable;
  try {
    home.cgroup?.join(pid);
  } catch (thrown) {
    end({ kind: 'stopped' });
    throw thrown;
  }
  gate.end('x');
  return true;
}

/** Kills the first process of the pid namespace, and so all of them; bwrap itself if there is none yet. */
async function kill(bwrap: ChildProcess, status: BwrapStatus): Promise<void> {
  if (bwrap.exitCode !== null || bwrap.signalCode !== null) return;
  const pid = await Promise.race([status.childPid, new Promise<null>((resolve) => setTimeout(resolve, 50, null))]);
  if (bwrap.exitCode !== null || bwrap.signalCode !== null) return;
  try {
    if (pid !== null) process.kill(pid, 'SIGKILL');
    else bwrap.kill('SIGKILL');
  } catch {
    bwrap.kill('SIGKILL');
  }
}

interface EndFacts extends Facts {
  readonly reason: Ending | null;
  readonly status: BwrapStatus;
  readonly limits: SandboxLimits;
}

/** The ending, or null when bwrap failed on its own: no exit code, and nothing outside explains it. */
function decideEnding({ reason, status, limits, ...facts }: EndFacts): Ending | null {
  if (reason !== null) return reason;
  const code = status.exitCode();
  if (facts.outOfMemoryKills > 0 && (code === null || code === 137)) return { kind: 'out-of-memory' };
  if (code === null) return null;
  if (code > 128 && code <= 192) {
    const signal = code - 128;
    const byCpu = signal === 24 || (signal === 9 && facts.cpuMs !== null && facts.cpuMs >= limits.cpuMs);
    return byCpu ? { kind: 'timed-out', clock: 'cpu' } : { kind: 'signalled', signal };
  }
  return { kind: 'exited', code };
}

function bwrapFailed(stderr: Buffer): ProctorError {
  const said = stderr.toString('utf8').slice(-500).trim();
  return new ProctorError('sandbox-failed', `bubblewrap could not run the command: ${said || 'no reason given'}`);
}

async function drained(pipes: CommandPipes): Promise<void> {
  const deadline = new Promise<void>((resolve) => setTimeout(resolve, DRAIN_MS).unref());
  const ends = [pipes.stdout, pipes.stderr].map(
    (stream) =>
      new Promise<void>((resolve) =>
        stream.readableEnded || stream.destroyed ? resolve() : stream.once('close', resolve),
      ),
  );
  await Promise.race([Promise.all(ends), deadline]);
  for (const stream of [pipes.stdin, pipes.stdout, pipes.stderr]) stream.destroy();
}

function destroyStreams(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
}

/** Collects a stream's bytes, counting them against the sandbox's output limit. */
export async function collect(live: LiveCommand, stdin: Uint8Array | undefined): Promise<ExecResult> {
  const parts: Buffer[] = [];
  live.stdout.on('data', (chunk: Buffer) => {
    parts.push(chunk);
    live.countOutput(chunk.length);
  });
  live.stdin.end(stdin ?? Buffer.alloc(0));
  const facts = await live.ended;
  return { ...facts, stdout: Buffer.concat(parts) };
}
