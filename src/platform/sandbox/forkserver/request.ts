import { Buffer } from 'node:buffer';
import type { CommandHome, NewFile } from '../commands/launcher.ts';
import {
  DEFAULT_ENVIRONMENT,
  INSIDE_UID,
  MASKED_HOST_FOLDERS,
  rlimitsOf,
  SHM_BYTES,
  TMP_BYTES,
  USR_LINKS,
} from '../commands/program.ts';
import type { Command } from '../sandbox.ts';

/** One step of a request, as sandbox.c takes it: its name and its texts. */
export type Step = readonly [name: string, ...texts: (string | Uint8Array)[]];

/** A request as it goes over the wire: a length, then texts that each end with a NUL. */
export function encodeRequest(steps: readonly Step[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const text of steps.flat()) parts.push(typeof text === 'string' ? Buffer.from(text) : text, END);
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([length, body]);
}

const END = Buffer.alloc(1);

/** What of a home its file system is made of. */
export type Files = Pick<CommandHome, 'root' | 'etcFolder' | 'tools'>;

/** The new root: a read-only system, fresh /proc, /dev and /tmp owned by `uid`, the tools, and `work` at /work. */
export function rootSteps(files: Files, uid: number, work: string): readonly Step[] {
  const owned = `mode=755,uid=${uid},gid=${uid}`;
  return [
    ...systemSteps(files),
    ['proc', '/proc'],
    ...deviceSteps(owned),
    ['tmpfs', '/tmp', `size=${TMP_BYTES},${owned}`],
    ['tmpfs', '/proctor', 'mode=755'],
    ...Object.entries(files.tools).flatMap(([name, path]): Step[] => [
      ['bind', path, `/proctor/${name}`],
      ['readonly', `/proctor/${name}`],
    ]),
    ['readonly', '/proctor'],
    ['bind', work, '/work'],
  ];
}

function systemSteps({ root, etcFolder }: Files): readonly Step[] {
  if (root.kind === 'directory') {
    return [
      ['bind', root.path, '/'],
      ['readonly', '/'],
    ];
  }
  return [
    ['tmpfs', '/', 'mode=755'],
    ['bind', '/usr', '/usr'],
    ['readonly', '/usr'],
    ...MASKED_HOST_FOLDERS.flatMap((path): Step[] => [
      ['tmpfs', path, 'mode=755'],
      ['readonly', path],
    ]),
    ...USR_LINKS.map((name): Step => ['symlink', `usr/${name}`, `/${name}`]),
    ['bind', etcFolder, '/etc'],
    ['readonly', '/etc'],
  ];
}

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const DEVICE_LINKS: readonly Step[] = [
  ...['stdin', 'stdout', 'stderr'].map((name, index): Step => ['symlink', `/proc/self/fd/${index}`, `/dev/${name}`]),
  ['symlink', '/proc/self/fd', '/dev/fd'],
  ['symlink', '/proc/kcore', '/dev/core'],
  ['symlink', 'pts/ptmx', '/dev/ptmx'],
];

function deviceSteps(owned: string): readonly Step[] {
  return [
    ['tmpfs', '/dev', 'mode=755'],
    ...DEVICES.map((name): Step => ['device', `/dev/${name}`]),
    ...DEVICE_LINKS,
    ['devpts', '/dev/pts', 'newinstance,ptmxmode=0666,mode=620'],
    ['tmpfs', '/dev/shm', `size=${SHM_BYTES},${owned}`],
    ['readonly', '/dev'],
  ];
}

/** All that makes one command, in order; descriptors are opened through this process's own. */
export function commandSteps(home: CommandHome, command: Command, options: CommandOptions): readonly Step[] {
  if (home.uid === null) throw new Error('a fork server needs uids of its own');
  const { zygote, descriptors, files } = options;
  const own = (descriptor: number) => `/proc/${process.pid}/fd/${descriptor}`;
  const [input, output, errors] = descriptors;
  const groups = home.cgroup?.joinPaths ?? [];
  const environment = { ...DEFAULT_ENVIRONMENT, ...command.env };
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const limits = rlimitsOf(home.limits, home.cgroup === null).map((limit) => `limit ${limit.join(' ')}\n`);
  const lines = [...limits, `uid ${INSIDE_UID} ${home.uid}\n`, `cwd ${command.cwd ?? '/work'}\n\n`].join('');
  const settings = { groups: groups.length, environment, arguments: command.argv.slice(3) };
  return [
    ['open', own(input), 'r'],
    ['open', own(output), 'w'],
    ['open', own(errors), 'w'],
    ...(command.link === undefined
      ? []
      : [linkStep(own(command.link.read), 'r'), linkStep(own(command.link.write), 'w')]),
    ['loopback'],
    ...groups.map((path): Step => ['cgroup', path]),
    ...(home.seccompFile === null ? [] : [['filter', home.seccompFile] as const]),
    ...rootSteps(home, home.uid, home.workFolder),
    ...fileSteps(files, home.uid),
    ['begun'],
    ...(home.root.kind === 'host' ? [['readonly', '/'] as const] : []),
    ['hostname', 'sandbox'],
    ...(zygote === null ? [] : [['zygote', zygote] as const]), // last of all that it could wait for
    ['root'],
    ['become', zygote === null ? lines : `${lines}${JSON.stringify(settings)}`],
    ...command.argv.map((text): Step => ['argument', text]),
    ...variables.map((text): Step => ['environment', text]),
  ];
}

/** A file's content is the one text that may hold anything: its length goes before it. */
function fileSteps(files: readonly NewFile[], uid: number | null): readonly Step[] {
  if (files.length === 0) return [];
  return [
    ['owner', String(uid)],
    ...files.map(
      ({ path, mode, bytes }): Step => ['file', `/work/${path}`, mode.toString(8), String(bytes.length), bytes],
    ),
  ];
}

function linkStep(path: string, way: 'r' | 'w'): Step {
  return ['open', path, way];
}

/** How one command is started. */
export interface CommandOptions {
  /** The socket of the process that it is to be a clone of, or null to execute it. */
  readonly zygote: string | null;
  /** Descriptors of this process that become its standard input, output and error output. */
  readonly descriptors: readonly [number, number, number];
  /** To be made in /work before the program runs. */
  readonly files: readonly NewFile[];
}
