import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { digestOfJson } from '../../base/digest.ts';
import { DEFAULT_ENVIRONMENT } from '../commands/program.ts';
import type { Command, Prepared } from '../sandbox.ts';
import type { LauncherProcess } from './launcher-process.ts';
import { type Files, rootSteps, type Step } from './request.ts';

/** How many prepared processes are kept; the one that served longest ago goes first. Each holds some 30 MB. */
const MOST_ZYGOTES = 24;
const PYTHON = '/usr/bin/python3';

/** Prepared processes by what they have prepared. */
export interface Zygotes {
  /** The socket of the process that a command may be a clone of; null when it is nothing that can be prepared. */
  find(files: Files, command: Command): Promise<Zygote | null>;
  close(): void;
}

/** One prepared process. */
export interface Zygote {
  readonly socket: string;
  /** Resolves when it has ended, and with it all its clones. */
  readonly ended: Promise<void>;
}

interface Living extends Zygote {
  end(): void;
}

/** Where the prepared process finds its own parts, in its own file system. */
const OWN_TOOL = 'forkserver';

/** `folder` is the service's own; `tool` the folder with zygote.py and the library, and the filter beside it. */
export function openZygotes(launcher: LauncherProcess, options: { folder: string; tool: string }): Zygotes {
  const living = new Map<string, Promise<Living>>();
  const start = async (key: string, files: Files, command: Command & { prepared: Prepared }): Promise<Living> => {
    const folder = mkdtempSync(join(options.folder, 'zygote-'));
    const socket = join(folder, 's');
    const work = join(folder, 'work');
    for (const { path, bytes } of command.prepared.files) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), bytes);
    }
    mkdirSync(work, { recursive: true });
    const tools = { ...files.tools, [OWN_TOOL]: options.tool };
    const connection = await launcher.request('zygote', zygoteSteps({ ...files, tools }, command, { socket, work }));
    const ended = untilEnded(connection).then(() => {
      living.delete(key);
      rmSync(folder, { recursive: true, force: true });
    });
    return { socket, ended, end: () => connection.destroy() };
  };
  return {
    async find(files, command) {
      if (command.prepared === undefined || command.argv[0] !== PYTHON) return null;
      const { root, tools } = files;
      const key = digestOfJson({ root, tools, program: command.argv[3], key: command.prepared.key });
      const known = living.get(key) ?? start(key, files, { ...command, prepared: command.prepared });
      living.delete(key);
      living.set(key, known); // the newest last
      known.catch(() => living.delete(key));
      for (const [oldest, zygote] of living) {
        if (living.size <= MOST_ZYGOTES) break;
        living.delete(oldest);
        zygote.then(({ end }) => end()).catch(() => undefined);
      }
      return known;
    },
    close() {
      for (const zygote of living.values()) zygote.then(({ end }) => end()).catch(() => undefined);
    },
  };
}

function zygoteSteps(
  files: Files,
  command: Command & { prepared: Prepared },
  { socket, work }: { socket: string; work: string },
): readonly Step[] {
  const own = `/proctor/${OWN_TOOL}`;
  const argv = [
    ...[PYTHON, '-I', '-B', `${own}/zygote.py`, `${own}/libsandbox.so`, `${own}/seccomp.bpf`],
    ...[command.argv[3] ?? '', ...command.prepared.arguments],
  ];
  return [
    ['open', '/dev/null', 'r'],
    ['open', '/dev/null', 'w'],
    ['open', '/proc/self/fd/2', 'w'],
    ['listen', socket],
    ...rootSteps(files, 0, null).slice(0, -1),
    ['bind', work, '/work'],
    ['hostname', 'sandbox'],
    ['root'],
    ...argv.map((text): Step => ['argument', text]),
    ...Object.entries(DEFAULT_ENVIRONMENT).map(([name, value]): Step => ['environment', `${name}=${value}`]),
  ];
}

function untilEnded(connection: Socket): Promise<void> {
  return new Promise((resolve) => {
    connection.resume();
    connection.on('end', () => connection.destroy());
    connection.on('close', () => resolve());
  });
}
