import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { messageOf, ProctorError } from '../../base/errors.ts';
import type { CommandHome, Launched } from '../commands/launcher.ts';
import { endProcess, processMark } from '../commands/process-mark.ts';
import { DEFAULT_ENVIRONMENT, rlimitsOf } from '../commands/program.ts';
import { type FirstProcess, waitStatusOf } from '../commands/status-stream.ts';
import type { Command } from '../sandbox.ts';
import { containerOf } from './container-plan.ts';
import { type Engine, statusOf } from './engine.ts';
import { showEnd } from './fifo-link.ts';
import { gateArguments, gateRequest } from './gate-script.ts';
import { type GateStreams, openGateStreams } from './streams.ts';

const WORD_BYTES = 16;

/** What containers are made with. */
export interface ContainerParts {
  readonly engine: Engine;
  readonly home: CommandHome;
  readonly imageId: string;
  readonly runtime: string;
  readonly remapsUsers: boolean;
  /** The mark of this process. */
  readonly owner: string;
  /** Folder of this service, for link folders. */
  readonly folder: string;
  /** Ids of containers that are there. */
  readonly containers: Set<string>;
  /** Takes what could not be made whole. */
  readonly discard: (container: Pick<WaitingContainer, 'remove'>) => Promise<void>;
}

/** A container whose gate waits for one command. */
export interface WaitingContainer {
  /** Whether it is there no more: its engine was stopped since. */
  isLost(): boolean;
  run(command: Command): Launched;
  /** Ends and removes it, used or not; it is its caller's to retry when it rejects. */
  remove(): Promise<void>;
}

/** Makes a container and starts it, up to its gate. When that fails nothing of it stays. */
export async function openContainer(parts: ContainerParts): Promise<WaitingContainer> {
  const { engine, home } = parts;
  const linkFolder = mkdtempSync(join(parts.folder, 'ends-'));
  chmodSync(linkFolder, 0o711);
  const forgetLink = () => rmSync(linkFolder, { recursive: true, force: true });
  const given = { ...home, hasFilter: home.seccompFile !== null };
  const plan = containerOf({ ...parts, home: given, linkFolder, program: gateArguments(), outlives: false });
  const { id } = await engine
    .ask('make a container', (docker) => docker.createContainer(plan))
    .catch((thrown) => {
      forgetLink();
      throw thrown;
    });
  parts.containers.add(id);
  const remove = async () => {
    await removeContainer(engine, id);
    parts.containers.delete(id);
    forgetLink();
  };
  const word = randomBytes(WORD_BYTES).toString('hex');
  let gate: GateStreams | null = null;
  try {
    gate = openGateStreams(await attach(engine, id), word);
    const first = await startToGate({ engine, id, gate, uid: home.uid });
    const opened = gate;
    return {
      isLost: opened.isEnded,
      run: (command) => run({ home, command, gate: opened, first, word, linkFolder }),
      remove,
    };
  } catch (thrown) {
    await parts.discard({ remove });
    throw thrown;
  }
}

function attach(engine: Engine, id: string): Promise<Duplex> {
  const streams = { stream: true, hijack: true, stdin: true, stdout: true, stderr: true };
  return engine.ask(
    'attach to a container',
    async (docker) => (await docker.getContainer(id).attach(streams)) as unknown as Duplex,
  );
}

async function startToGate(start: {
  engine: Engine;
  id: string;
  gate: GateStreams;
  uid: number | null;
}): Promise<FirstProcess> {
  const { engine, id, gate, uid } = start;
  const first = await startContainer({ engine, id });
  await gate.ready.catch((thrown) => {
    throw new ProctorError('sandbox-failed', `a container has ended before it was used: ${messageOf(thrown)}`);
  });
  return confirmFirst(first.pid, uid);
}

/** Starts a container; its first process as the engine names it. */
export async function startContainer({ engine, id }: { engine: Engine; id: string }): Promise<{ pid: number }> {
  await engine.ask('start a container', (docker) => docker.getContainer(id).start());
  const { State } = await engine.ask('look at a container', (docker) => docker.getContainer(id).inspect());
  return { pid: State.Pid };
}

/** A container's first process, if the engine means the same by its pid as this process does. */
export function confirmFirst(pid: number, uid: number | null): FirstProcess {
  const first = { pid, mark: processMark(pid) };
  if (first.mark !== null && ownerOf(pid) === uid) return first;
  throw new ProctorError(
    'sandbox-failed',
    `process ${pid} is not the container that was started: the engine has other pids than this process (run it with the host's)`,
  );
}

/** The uid of a process, or null: a pid of another namespace is a stranger's here. */
function ownerOf(pid: number): number | null {
  try {
    return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
  } catch {
    return null;
  }
}

/** Removes a container with its processes; one that is not there is fine. */
export async function removeContainer(engine: Engine, id: string): Promise<void> {
  try {
    await engine.ask('remove a container', (docker) => docker.getContainer(id).remove({ force: true, v: true }));
  } catch (thrown) {
    if (statusOf(thrown) !== 404) throw thrown;
  }
}

interface Start {
  readonly home: CommandHome;
  readonly command: Command;
  readonly gate: GateStreams;
  readonly first: FirstProcess;
  readonly word: string;
  readonly linkFolder: string;
}

function run({ home, command, gate, first, word, linkFolder }: Start): Launched {
  const request = gateRequest({
    word,
    argv: command.argv,
    cwd: command.cwd ?? '/work',
    environment: { ...DEFAULT_ENVIRONMENT, ...command.env },
    limits: rlimitsOf(home.limits, false),
    links: showEnd(command.link, linkFolder),
  });
  if (request === null)
    throw new ProctorError('sandbox-failed', 'an argument or variable of a command has a zero byte');
  return {
    streams: gate.streams,
    first: Promise.resolve(first),
    gone: gate.ended.catch((cause) => {
      throw new ProctorError('sandbox-failed', `the container was lost: ${messageOf(cause)}`, {}, { cause });
    }),
    isGone: gate.isEnded,
    placed: Promise.resolve(),
    told() {
      const status = gate.status();
      return status === null ? null : waitStatusOf(status);
    },
    begin({ pid }) {
      home.cgroup?.join(pid);
      gate.begin(request);
    },
    abort: () => endProcess(first),
  };
}
