import type { Socket } from 'node:net';
import { ProctorError } from '../../base/errors.ts';
import type { Launched, LaunchOverPipes } from '../commands/launcher.ts';
import { endProcess, processMark } from '../commands/process-mark.ts';
import { type FirstProcess, type WaitStatus, waitStatusOf } from '../commands/status-stream.ts';
import type { LauncherProcess } from './launcher-process.ts';
import { commandSteps } from './request.ts';
import type { Zygotes } from './zygotes.ts';

const MOST_TOLD_BYTES = 4_096;

/** What the clone, or whoever made it, has told so far. */
interface Told {
  first: FirstProcess | null;
  status: WaitStatus | null;
  failure: string | null;
  begun: boolean;
}

/** Has the launcher clone a command's first process, and listens to what it tells. */
export function launchClone(
  { launcher, zygotes }: { launcher: LauncherProcess; zygotes: Zygotes },
  start: Parameters<LaunchOverPipes>[0],
): Launched {
  const { pipes } = start;
  const told: Told = { first: null, status: null, failure: null, begun: false };
  for (const stream of [pipes.stdin, pipes.stdout, pipes.stderr]) stream.on('error', () => undefined);
  let aborted = false;
  let release: (() => void) | null = () => pipes.releaseChildEnds();
  let tellPlaced: () => void = () => undefined;
  const placed = new Promise<void>((resolve) => {
    tellPlaced = resolve;
  });
  const begun = () => {
    release?.();
    release = null;
    tellPlaced();
  };
  const asked = ask({ launcher, zygotes }, start).finally(() => aborted && begun());
  const first = new Promise<FirstProcess | null>((resolve) => {
    asked.then(
      ({ socket }) => {
        listen(socket, told, () => {
          if (told.begun) begun();
          if (told.first !== null) resolve(told.first);
        });
        socket.on('close', () => resolve(null));
      },
      () => resolve(null),
    );
  });
  const gone = asked.then(({ socket, zygoteEnded }) => untilGone(socket, told, zygoteEnded)).finally(begun);
  let isGone = false;
  gone
    .catch(() => undefined)
    .finally(() => {
      isGone = true;
    });
  return {
    streams: pipes,
    first,
    gone,
    placed,
    isGone: () => isGone,
    told: () => told.status,
    begin: () => undefined, // it has joined its cgroup by itself
    abort() {
      aborted = true;
      void first.then((known) => known !== null && endProcess(known)); // the launcher tells it, or is gone itself
    },
  };
}

interface Asked {
  readonly socket: Socket;
  readonly zygoteEnded: Promise<string> | null;
}

async function ask(
  { launcher, zygotes }: { launcher: LauncherProcess; zygotes: Zygotes },
  { home, command, files, pipes }: Parameters<LaunchOverPipes>[0],
): Promise<Asked> {
  const zygote = await zygotes.find(home, command);
  try {
    const options = { zygote: zygote?.socket ?? null, descriptors: pipes.childEnds, files };
    const socket = await launcher.request('sandbox', commandSteps(home, command, options));
    socket.once('close', () => zygote?.release());
    return { socket, zygoteEnded: zygote?.ended ?? null };
  } catch (thrown) {
    zygote?.release();
    throw thrown;
  }
}

function listen(socket: Socket, told: Told, news: () => void): void {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    if (text.length > MOST_TOLD_BYTES) return;
    text += chunk.toString('latin1');
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
      hear(text.slice(0, end), told);
      text = text.slice(end + 1);
    }
    news();
  });
  socket.on('end', () => socket.destroy());
}

function hear(line: string, told: Told): void {
  const [word = '', rest = ''] = /^(\w+) ?(.*)$/.exec(line)?.slice(1) ?? [];
  if (word === 'pid') told.first = { pid: Number(rest), mark: processMark(Number(rest)) };
  else if (word === 'begun') told.begun = true;
  else if (word === 'failed') told.failure ??= rest;
  else if (word === 'ended') told.status ??= waitStatusOf(Number(rest));
}

/** Resolves when all ends of the connection are closed: its clones and whoever made them hold them until nothing is left. */
async function untilGone(socket: Socket, told: Told, zygoteEnded: Promise<string> | null): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
  let orphaned: string | null = null;
  zygoteEnded?.then((said) => {
    if (told.status !== null || socket.closed) return;
    orphaned = said;
    if (told.first !== null) endProcess(told.first);
  });
  await closed;
  if (told.failure !== null) throw new ProctorError('sandbox-failed', `a sandbox could not be made: ${told.failure}`);
  if (orphaned !== null) {
    throw new ProctorError('sandbox-failed', `the prepared process of a sandbox has ended: ${orphaned}`);
  }
}
