import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { ProctorError } from '../../base/errors.ts';
import type { Cgroup } from '../cgroup/cgroup.ts';
import { endingOf } from '../commands/ending.ts';
import type { HostHelper } from '../commands/host-helper.ts';
import { type CommandPipes, closeStreams, drained, openPipes } from '../commands/pipes.ts';
import { rlimitsOf } from '../commands/program.ts';
import type { WaitStatus } from '../commands/status-stream.ts';
import { TailBuffer } from '../commands/tail-buffer.ts';
import { type LivePlace, type RunningStep, type StepCommand, type StepEnd, TOLD_BYTES } from '../live-sandbox.ts';
import type { Ending } from '../sandbox.ts';
import { ENTER_ARGUMENTS, ENTER_DESCRIPTORS, type EnterPlan, enterRequest } from './enter-script.ts';
import { readStepWords, type StepWords } from './step-words.ts';

/** How long the end of a step may take to be told once what enters is gone. */
const TELL_MS = 100;
const TRACER_ERRORS_BYTES = 4_096;

/** Where a step is started. */
export interface StepHome {
  readonly place: LivePlace;
  readonly helper: HostHelper;
  /** The step's own. */
  readonly cgroup: Cgroup;
  /** The filter that asks. */
  readonly filterPath: string;
}

/** Enters a live sandbox for one step. Nothing was started when it rejects. */
export async function startStep(home: StepHome, command: StepCommand): Promise<RunningStep> {
  const marker = command.tracer?.marker ?? `/proctor-${randomBytes(16).toString('hex')}`;
  const request = enterRequest(planOf(home), command, marker);
  if (request === null) throw new ProctorError('bad-request', 'an argument or variable of a command has a zero byte');
  const pipes = await openPipes(home.helper, home.place.slot.uid);
  try {
    return followed(home, command, { ...spawnEntering(home, command, pipes), pipes, request });
  } catch (thrown) {
    closeStreams(pipes);
    throw thrown;
  } finally {
    pipes.releaseChildEnds();
  }
}

interface Entering {
  readonly child: ChildProcess;
  readonly errors: Readable;
  readonly says: Readable;
  readonly asks: Writable;
  readonly tells: Readable;
}

function planOf({ place, cgroup, filterPath }: StepHome): EnterPlan {
  const { pid, mark } = place.first;
  return {
    first: { pid, startTime: mark?.split(':')[1] ?? '' },
    namespaces: place.namespaces,
    uid: place.uidInside,
    limits: rlimitsOf(place.limits, false),
    filterPath,
    joinPaths: cgroup.joinPaths,
  };
}

function spawnEntering({ place }: StepHome, command: StepCommand, pipes: CommandPipes): Entering {
  const onCpus = place.cpus === null ? [] : ['/usr/bin/taskset', '-c', place.cpus.join(',')];
  const [program, ...args] = [...onCpus, ...(command.tracer?.argv ?? []), ...ENTER_ARGUMENTS] as [string, ...string[]];
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', ...pipes.childEnds, 'pipe'],
    cwd: '/',
    detached: true, // a Ctrl-C meant for the service is not the program's
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  });
  child.on('error', () => undefined); // told below; without a listener it would end this process
  if (child.pid === undefined) {
    throw new ProctorError('sandbox-failed', `${program} cannot be started: it is missing, or processes are used up`);
  }
  // Node's types end at the fifth stream
  const streams = child.stdio as readonly unknown[];
  const asks = streams[ENTER_DESCRIPTORS.request] as Writable;
  asks.on('error', () => undefined);
  return {
    child,
    errors: streams[2] as Readable,
    says: streams[ENTER_DESCRIPTORS.says] as Readable,
    asks,
    tells: streams[ENTER_DESCRIPTORS.streams + 3] as Readable,
  };
}

function followed(
  { cgroup }: StepHome,
  command: StepCommand,
  entering: Entering & { readonly pipes: CommandPipes; readonly request: Buffer },
): RunningStep {
  const { child, pipes, says, tells, errors, asks } = entering;
  const words = readStepWords(says);
  const told = gather(tells, TOLD_BYTES);
  const tail = new TailBuffer(TRACER_ERRORS_BYTES);
  errors.on('data', (chunk: Buffer) => tail.add(chunk));
  for (const stream of [pipes.stdin, pipes.stdout, pipes.stderr]) stream.on('error', () => undefined);
  const killing = killOnce(cgroup);
  const wall = setTimeout(() => killing.end({ kind: 'timed-out', clock: 'wall' }), command.wallMs);
  countOutput(pipes, command.outputBytes, () => killing.end({ kind: 'too-much-output' }));
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.once('exit', () => {
    // what it still runs may not go on unwatched
    if (!words.isOver() && cgroup.pids().length > 0) killing.lose();
  });
  const started = performance.now();
  const ended = followToEnd({ words, child, pipes, cgroup, killing, tail, started }).finally(() => clearTimeout(wall));
  ended.catch(() => undefined);
  asks.end(entering.request);
  const { stdin, stdout, stderr } = pipes;
  return {
    stdin,
    stdout,
    stderr,
    told,
    ended,
    gone,
    refused: words.refused,
    wasFollowed: words.isOver,
    end: killing.end,
    leave() {
      child.unref();
      closeStreams(pipes);
      for (const stream of [says, tells, errors, asks]) stream.destroy();
    },
  };
}

/** Ends a step once, for the first reason. */
interface Killing {
  end(why: Ending): void;
  /** As {@link end}, because nobody watches it any more. */
  lose(): void;
  isLost(): boolean;
  reason(): Ending | null;
  /** Resolves when what was to be ended is gone. */
  done(): Promise<void>;
}

function killOnce(cgroup: Cgroup): Killing {
  let reason: Ending | null = null;
  let killing: Promise<void> = Promise.resolve();
  let isLost = false;
  const end = (why: Ending) => {
    if (reason === null) killing = cgroup.endAll();
    killing.catch(() => undefined);
    reason ??= why;
  };
  return {
    end,
    lose() {
      isLost = true;
      end({ kind: 'stopped' });
    },
    isLost: () => isLost,
    reason: () => reason,
    done: () => killing,
  };
}

async function followToEnd(followed: {
  readonly words: StepWords;
  readonly child: ChildProcess;
  readonly pipes: CommandPipes;
  readonly cgroup: Cgroup;
  readonly killing: Killing;
  readonly tail: TailBuffer;
  readonly started: number;
}): Promise<StepEnd> {
  const { words, pipes, cgroup, killing, tail } = followed;
  const told = await statusOf(words, followed.child);
  const status = words.failure() === null && !killing.isLost() ? told : null;
  const wallMs = performance.now() - followed.started;
  if (status === null) killing.end({ kind: 'stopped' }); // nobody may go on unwatched
  await killing.done();
  if (status === null) throw notFollowed(words, tail);
  const ending = killing.reason() ?? endingOf(status, { outOfMemory: cgroup.outOfMemoryKills() > 0, overCpu: false });
  const peaks = { memoryPeakBytes: cgroup.memoryPeakBytes(), processPeak: cgroup.processPeak() };
  const cpuMs = cgroup.cpuMs();
  await drained(pipes);
  return { ending, wallMs, cpuMs, ...peaks };
}

/** The program's wait status; null when what entered is gone and has told none: then nobody has followed the program to its end. */
async function statusOf(words: StepWords, child: ChildProcess): Promise<WaitStatus | null> {
  const left = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return Promise.race([words.ended, left.then(() => Promise.race([words.ended, pause(TELL_MS, null)]))]);
}

function notFollowed(words: StepWords, errors: TailBuffer): ProctorError {
  const said = words.failure() ?? (errors.bytes().toString('utf8').trim() || 'what watched it was lost');
  return new ProctorError('sandbox-failed', `a step could not be followed: ${said.slice(-500)}`);
}

function countOutput({ stdout, stderr }: CommandPipes, limit: number, tell: () => void): void {
  let bytes = 0;
  for (const stream of [stdout, stderr]) {
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limit) tell();
    });
  }
}

function gather(stream: Readable, limit: number): () => Buffer {
  const parts: Buffer[] = [];
  let bytes = 0;
  stream
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      if (bytes < limit) parts.push(chunk.subarray(0, limit - bytes));
      bytes += chunk.length;
    });
  return () => Buffer.concat(parts);
}
