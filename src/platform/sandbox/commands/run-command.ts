import { setTimeout as pause } from 'node:timers/promises';
import { messageOf, ProctorError } from '../../base/errors.ts';
import type { Command, Ending, ExecResult, RunningCommand, SandboxLimits } from '../sandbox.ts';
import { endingOf } from './ending.ts';
import type { CommandHome, Entrance, Launched, NewFile } from './launcher.ts';
import { closeStreams, drained } from './pipes.ts';
import { endProcess, processMark } from './process-mark.ts';
import type { FirstProcess, WaitStatus } from './status-stream.ts';
import { TailBuffer } from './tail-buffer.ts';
import { watchLimits } from './watch-limits.ts';

const STDERR_TAIL_BYTES = 65_536;
/** How long a killed pid namespace may take to be gone. */
const KILL_MS = 5_000;
/** How long after a kill nobody may say that a command is gone; a frozen one is thawed long before. */
const GONE_MS = 30_000;

/** A command plus the means to end it with a reason of ours. */
export interface LiveCommand extends RunningCommand {
  end(reason: Ending): void;
  /** Resolves when the files that came with it are in place, or when it is over. */
  readonly placed: Promise<void>;
  /** Counts bytes of standard output that somebody else reads. */
  countOutput(bytes: number): void;
}

/** What is known of one command from outside. */
interface Run {
  readonly home: CommandHome;
  readonly command: Command;
  readonly launched: Launched;
  /** As {@link Launched.gone}, and given up when a killed command does not end. */
  readonly gone: Promise<void>;
  readonly end: (reason: Ending) => void;
}

/** What is started where. */
interface Start {
  readonly home: CommandHome;
  /** By which the launcher of this name starts commands of this sandbox. */
  readonly entrance: Entrance;
  readonly launcherName: string;
  readonly command: Command;
  /** See {@link Entrance.launch}. */
  readonly files: readonly NewFile[];
}

/** Starts one command in fresh namespaces over the sandbox's files. */
export async function runCommand(start: Start): Promise<LiveCommand> {
  const { home, command } = start;
  const launched = await start.entrance.launch(command, start.files).catch((thrown) => {
    throw sandboxError(thrown);
  });
  const { streams } = launched;
  const stderr = new TailBuffer(STDERR_TAIL_BYTES);
  let reason: Ending | null = null;
  let output = 0;
  const deadline = startDeadline();
  const end = (why: Ending) => {
    reason ??= why;
    deadline.begin();
    void kill(launched);
  };
  const countOutput = (bytes: number) => {
    output += bytes;
    if (output > home.limits.outputBytes) end({ kind: 'too-much-output' });
  };
  streams.stderr.on('data', (chunk: Buffer) => {
    stderr.add(chunk);
    countOutput(chunk.length);
  });
  const gone = Promise.race([launched.gone, deadline.passed]).finally(deadline.clear);
  const ended = follow({ home, command, launched, gone, end }).then((facts) => {
    const ending = reason ?? decideEnding(launched.told(), facts, home.limits);
    if (ending === null) throw notRun(start.launcherName, stderr.bytes());
    return { ending, stderr: stderr.bytes(), wallMs: facts.wallMs, cpuMs: facts.cpuMs };
  });
  ended.catch(() => undefined);
  const { placed } = launched;
  const stop = () => end({ kind: 'stopped' });
  return { stdin: streams.stdin, stdout: streams.stdout, ended, placed, stop, end, countOutput };
}

/** From the moment that a command is killed it may take so long until it is known to be gone; then it is given up. */
function startDeadline(): { readonly passed: Promise<never>; begin(): void; clear(): void } {
  let timer: NodeJS.Timeout | null = null;
  let pass: () => void = () => undefined;
  const passed = new Promise<never>((_, reject) => {
    pass = () => reject(new ProctorError('sandbox-failed', 'a killed sandbox does not end'));
  });
  passed.catch(() => undefined);
  return {
    passed,
    begin() {
      timer ??= setTimeout(pass, GONE_MS).unref();
    },
    clear() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** What the host refuses while a command is started is the platform's fault. */
function sandboxError(thrown: unknown): ProctorError {
  if (thrown instanceof ProctorError) return thrown;
  return new ProctorError('sandbox-failed', `a command cannot be started: ${messageOf(thrown)}`, {}, { cause: thrown });
}

/** Facts from outside the sandbox about a command that is over. */
interface Facts {
  readonly wallMs: number;
  readonly cpuMs: number | null;
  readonly outOfMemoryKills: number;
}

/** Lets the command begin, watches its limits, and sees to it that all of it is gone. */
async function follow(run: Run): Promise<Facts> {
  const { home, launched, gone } = run;
  const { cgroup } = home;
  const killsBefore = cgroup?.outOfMemoryKills() ?? 0;
  const cpuBefore = cgroup?.cpuMs() ?? null;
  await Promise.race([begin(run), gone]).catch(async (thrown) => {
    await gone.catch(() => undefined);
    closeStreams(launched.streams);
    throw sandboxError(thrown);
  });
  const startedMs = performance.now();
  const unwatch = watchLimits({ ...run, limits: home.limits, cgroup, cpuBefore });
  await gone.finally(unwatch);
  await endFirstProcess(await launched.first, cgroup);
  const wallMs = performance.now() - startedMs;
  await drained(launched.streams);
  closeStreams(launched.streams);
  return {
    wallMs,
    cpuMs: cpuBefore === null ? null : (cgroup?.cpuMs() ?? 0) - cpuBefore,
    outOfMemoryKills: (cgroup?.outOfMemoryKills() ?? 0) - killsBefore,
  };
}

async function begin({ home, launched, end }: Run): Promise<void> {
  const first = await launched.first;
  if (first === null) return;
  try {
    home.begins(home.limits.wallMs);
    launched.begin(first);
  } catch (thrown) {
    end({ kind: 'stopped' });
    throw thrown;
  }
}

/**
 * The launcher's word is its word only; the pid namespace is empty once its first process is gone. That one is gone with it, unless something in the sandbox managed to part them: then it is ended here, whatever it has become.
 */
async function endFirstProcess(first: FirstProcess | null, cgroup: CommandHome['cgroup']): Promise<void> {
  if (first === null || first.mark === null) return;
  for (const end = performance.now() + KILL_MS; processMark(first.pid) === first.mark; await pause(2)) {
    endProcess(first);
    cgroup?.thaw();
    if (performance.now() > end) throw new ProctorError('sandbox-failed', 'a killed sandbox process does not end');
  }
}

/** Kills the first process of the pid namespace, and so all of them; what launches it if there is none yet. */
async function kill(launched: Launched): Promise<void> {
  const known = await Promise.race([launched.first, pause(50, null)]);
  if (launched.isGone()) return;
  if (known === null || !endProcess(known)) launched.abort();
}

/** The ending, or null when the launcher failed on its own: no wait status was told, and nothing outside explains it. */
function decideEnding(told: WaitStatus | null, facts: Facts, limits: SandboxLimits): Ending | null {
  const overCpu = facts.cpuMs !== null && facts.cpuMs >= limits.cpuMs;
  return endingOf(told, { outOfMemory: facts.outOfMemoryKills > 0, overCpu });
}

function notRun(launcher: string, stderr: Buffer): ProctorError {
  const said = stderr.toString('utf8').slice(-500).trim();
  return new ProctorError('sandbox-failed', `${launcher} could not run the command: ${said || 'no reason given'}`);
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
