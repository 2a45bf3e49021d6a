import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { endProcess, processMark } from '../commands/process-mark.ts';
import { DEFAULT_ENVIRONMENT } from '../commands/program.ts';
import type { FirstProcess } from '../commands/status-stream.ts';
import type { Command, Prepared } from '../sandbox.ts';
import type { LauncherProcess } from './launcher-process.ts';
import { type Files, rootSteps, type Step } from './request.ts';

/** How many prepared processes are kept; the one that served longest ago goes first. Each holds some 30 MB. */
const MOST_ZYGOTES = 24;
/** How many that were asked for once are remembered. */
const MOST_REMEMBERED = 10_000;
const MOST_SAID = 1_000;
const PYTHON = '/usr/bin/python3';

/** Prepared processes by what they have prepared. */
export interface Zygotes {
  /** The process that a command may be a clone of, held for it; null when it is nothing that can be prepared. */
  find(files: Files, command: Command): Promise<Zygote | null>;
  close(): void;
}

/** One prepared process. */
export interface Zygote {
  readonly socket: string;
  /** Resolves when it has ended, and with it all its clones: with the end of what it said. */
  readonly ended: Promise<string>;
  /** Keeps it while a clone is made or runs; each is to be released once. */
  hold(): void;
  release(): void;
}

interface Living extends Zygote {
  ready: boolean;
  over: boolean;
  /** Serves nobody new from now on, and is ended when its last clone is gone. */
  retire(): void;
}

/** Where the prepared process finds its own parts, in its own file system. */
const OWN_TOOL = 'forkserver';

/** What a process is prepared from. */
interface Wanted {
  readonly files: Files;
  readonly program: string;
  readonly prepared: Prepared;
}

/** Those that live, by what they have prepared. */
function keepZygotes(begin: (wanted: Wanted) => Promise<Living>, most: number) {
  const living = new Map<string, Promise<Living>>();
  let askedOnce = new Set<string>();
  const retire = (zygote: Promise<Living>) => void zygote.then((one) => one.retire()).catch(() => undefined);
  return {
    living,
    /** Several may ask at once for the first time. */
    start(key: string, wanted: Wanted): Promise<Living> {
      const known = living.get(key);
      if (known !== undefined) return known;
      const starting = begin(wanted);
      living.set(key, starting);
      const forget = () => living.get(key) === starting && living.delete(key);
      starting.then((zygote) => zygote.ended).then(forget, forget);
      for (const [oldest, zygote] of living) {
        if (living.size <= most) break;
        living.delete(oldest);
        retire(zygote);
      }
      return starting;
    },
    /** A known one, the newest last; null where there is none, or where another serves until it is ready. */
    async use(key: string, { otherwise }: Prepared): Promise<Zygote | null> {
      const known = living.get(key);
      if (known === undefined) return null;
      living.delete(key);
      living.set(key, known);
      const zygote = await known;
      if (zygote.over) {
        if (living.get(key) === known) living.delete(key);
        return null;
      }
      return zygote.ready || otherwise === undefined ? zygote : null;
    },
    isAskedAgain(key: string): boolean {
      if (askedOnce.has(key)) return true;
      if (askedOnce.size > MOST_REMEMBERED) askedOnce = new Set();
      askedOnce.add(key);
      return false;
    },
    close() {
      for (const zygote of living.values()) retire(zygote);
    },
  };
}

/** `folder` is the service's own; `tool` the folder with zygote.py, the library and the system call filter. */
export function openZygotes(
  launcher: LauncherProcess,
  options: { folder: string; tool: string; most?: number },
): Zygotes {
  const kept = keepZygotes((wanted) => startZygote(launcher, wanted, options), options.most ?? MOST_ZYGOTES);
  /** What serves later ones is begun with the second that asks for it, while another still serves. */
  const find = async (wanted: Wanted): Promise<Zygote> => {
    const { otherwise } = wanted.prepared;
    const key = keyOf(wanted);
    const known = await kept.use(key, wanted.prepared);
    if (known !== null) return known;
    if (otherwise === undefined) return kept.start(key, wanted);
    if (!kept.living.has(key) && kept.isAskedAgain(key)) kept.start(key, wanted).catch(() => undefined);
    return find({ ...wanted, prepared: otherwise });
  };
  return {
    async find(files, { argv, prepared }) {
      if (prepared === undefined || argv[0] !== PYTHON || argv[3] === undefined) return null;
      const zygote = await find({ files, program: argv[3], prepared });
      zygote.hold();
      return zygote;
    },
    close: kept.close,
  };
}

function keyOf({ files: { root, tools }, program, prepared }: Wanted): string {
  const packages = root.kind === 'host' ? statSync('/var/lib/dpkg/status', { throwIfNoEntry: false })?.ctimeMs : null;
  return JSON.stringify([root, packages, tools, program, prepared.key]);
}

async function startZygote(
  launcher: LauncherProcess,
  wanted: Wanted,
  options: { folder: string; tool: string },
): Promise<Living> {
  const folder = mkdtempSync(join(options.folder, 'zygote-'));
  const socket = join(folder, 's');
  const work = join(folder, 'work');
  mkdirSync(work);
  for (const { path, bytes } of wanted.prepared.files) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), bytes);
  }
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const tools = { ...wanted.files.tools, [OWN_TOOL]: options.tool };
  const steps = zygoteSteps({ ...wanted, files: { ...wanted.files, tools } }, { socket, work, log });
  const connection = await launcher.request('zygote', steps);
  const zygote = livingZygote(connection, { socket, folder });
  await new Promise<void>((resolve) => {
    connection.on('data', (chunk: Buffer) => {
      if (chunk.includes('begun')) resolve(); // it can be asked from now on, and answers once it is ready
    });
    zygote.ended.then(() => resolve());
  });
  return zygote;
}

function livingZygote(connection: Socket, { socket, folder }: { socket: string; folder: string }): Living {
  let clones = 0;
  let retired = false;
  let first: FirstProcess | null = null;
  const endIfIdle = () => {
    if (!retired || clones > 0) return;
    if (first !== null) endProcess(first);
    connection.destroy();
  };
  const zygote: Living = {
    socket,
    ready: false,
    over: false,
    ended: untilEnded(connection, folder),
    retire() {
      retired = true;
      endIfIdle();
    },
    hold: () => void clones++,
    release() {
      clones--;
      endIfIdle();
    },
  };
  connection.on('close', () => {
    zygote.over = true;
  });
  connection.on('data', (chunk: Buffer) => {
    const pid = Number(/^pid (\d+)$/m.exec(chunk.toString('latin1'))?.[1]);
    if (pid > 0) first = { pid, mark: processMark(pid) };
    if (chunk.includes('ready')) zygote.ready = true;
  });
  return zygote;
}

function zygoteSteps(
  { files, program, prepared }: Wanted,
  { socket, work, log }: { socket: string; work: string; log: string },
): readonly Step[] {
  const own = `/proctor/${OWN_TOOL}`;
  const argv = [
    ...[PYTHON, '-I', '-B', `${own}/zygote.py`, `${own}/libsandbox.so`, `${own}/seccomp.bpf`],
    ...[program, ...prepared.arguments],
  ];
  return [
    ['open', '/dev/null', 'r'],
    ['open', '/dev/null', 'w'],
    ['open', log, 'w'],
    ['listen', socket],
    ['begun'],
    ...rootSteps(files, 0, work),
    ['hostname', 'sandbox'],
    ['root'],
    ...argv.map((text): Step => ['argument', text]),
    ...Object.entries(DEFAULT_ENVIRONMENT).map(([name, value]): Step => ['environment', `${name}=${value}`]),
  ];
}

function untilEnded(connection: Socket, folder: string): Promise<string> {
  return new Promise((resolve) => {
    connection.on('end', () => connection.destroy());
    connection.on('close', () => {
      resolve(lastWords(folder));
    });
  });
}

/** What it said last, with its folder removed; nothing when the service's own folder is gone already. */
function lastWords(folder: string): string {
  try {
    const said = readFileSync(join(folder, 'log'), 'utf8').slice(-MOST_SAID);
    rmSync(folder, { recursive: true, force: true });
    return said;
  } catch {
    return '';
  }
}
