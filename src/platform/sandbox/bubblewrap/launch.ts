import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { ProctorError } from '../../base/errors.ts';
import { inheritedDescriptors } from '../commands/inherited-descriptors.ts';
import type { CommandHome, Launched, LaunchOverPipes } from '../commands/launcher.ts';
import type { ProgramStreams } from '../commands/pipes.ts';
import { rlimitsOf } from '../commands/program.ts';
import { readFirstProcess, readWaitStatus } from '../commands/status-stream.ts';
import { type Command, LINK_DESCRIPTORS } from '../sandbox.ts';
import { bwrapArguments } from './arguments.ts';
import { underInit } from './init-script.ts';

/** Descriptor numbers in bwrap: after the three standard ones. */
const STATUS = 3;
const GATE = 4;
const ENDED = 5;
const SECCOMP = 6;

const INHERITED = inheritedDescriptors(SECCOMP + 1);

/** How long output may still be on its way once bwrap is gone. */
const DRAIN_MS = 300;

/** Spawns bwrap for a command, as the slot's uid. */
export const launch: LaunchOverPipes = ({ home, command, pipes }) => {
  let seccomp: number | null = null;
  try {
    seccomp = home.seccompFile === null ? null : openSync(home.seccompFile, 'r');
    const args = bwrapArguments({
      ...home,
      program: underInit(ENDED, rlimitsOf(home.limits, home.cgroup === null), command.argv),
      ...{ env: command.env, cwd: command.cwd },
      descriptors: { status: STATUS, gate: GATE, seccomp: seccomp === null ? null : SECCOMP },
    });
    const [program, ...rest] = closingInherited(args, command);
    const bwrap = spawn(program, rest, {
      stdio: [...pipes.childEnds, 'pipe', 'pipe', 'pipe', ...further(seccomp, command)],
      cwd: '/',
      detached: true, // a Ctrl-C meant for the service is not the program's
      env: { PATH: '/usr/bin:/bin' },
      ...(home.uid === null ? {} : { uid: home.uid, gid: home.uid }),
    });
    bwrap.on('error', () => undefined); // told below; without a listener it would end this process
    if (bwrap.pid === undefined) {
      throw new ProctorError(
        'sandbox-failed',
        'bwrap cannot be started: it is missing, or descriptors or processes are used up',
      );
    }
    // Node's types end at the fifth stream
    const streams: readonly unknown[] = bwrap.stdio;
    const gate = streams[GATE] as Writable;
    for (const stream of [pipes.stdin, pipes.stdout, pipes.stderr, gate]) stream.on('error', () => undefined);
    return launched(bwrap, {
      home,
      pipes,
      gate,
      status: streams[STATUS] as Readable,
      ended: streams[ENDED] as Readable,
    });
  } finally {
    pipes.releaseChildEnds();
    if (seccomp !== null) closeSync(seccomp);
  }
};

interface Streams {
  readonly home: CommandHome;
  readonly pipes: ProgramStreams;
  readonly gate: Writable;
  readonly status: Readable;
  readonly ended: Readable;
}

function launched(bwrap: ChildProcess, { home, pipes, gate, status, ended }: Streams): Launched {
  return {
    streams: pipes,
    first: readFirstProcess(status),
    told: readWaitStatus(ended),
    gone: new Promise<void>((resolve, reject) => {
      bwrap.on('error', (cause) => {
        reject(new ProctorError('sandbox-failed', `bwrap: ${cause.message}`, {}, { cause }));
      });
      bwrap.on('close', () => resolve());
      bwrap.on('exit', () => setTimeout(() => destroyStreams(bwrap), DRAIN_MS).unref());
    }),
    placed: Promise.resolve(), // it takes none
    isGone: () => bwrap.exitCode !== null || bwrap.signalCode !== null,
    begin(first) {
      home.cgroup?.join(first.pid); // while bwrap holds it at the gate
      gate.end('x');
    },
    abort: () => void bwrap.kill('SIGKILL'),
  };
}

function destroyStreams({ stdio }: ChildProcess): void {
  for (const stream of stdio) stream?.destroy();
}

/** From SECCOMP on: the filter, then the program's end of a link at LINK_DESCRIPTORS. */
function further(seccomp: number | null, { link }: Command): readonly (number | 'ignore')[] {
  if (link === undefined) return seccomp === null ? [] : [seccomp];
  return [seccomp ?? 'ignore', link.read, link.write];
}

/**
 * Descriptors that this process was started with are not close-on-exec and would reach the program; they are closed
 * by a shell on the way. Node marks all that it opens itself.
 */
export function closingInherited(args: readonly string[], { link }: Pick<Command, 'link'>): [string, ...string[]] {
  const wanted: readonly number[] = link === undefined ? [] : Object.values(LINK_DESCRIPTORS);
  const unwanted = INHERITED.filter((descriptor) => !wanted.includes(descriptor));
  if (unwanted.length === 0) return ['bwrap', ...args];
  const closing = unwanted.map((descriptor) => `${descriptor}>&-`).join(' ');
  return ['/bin/bash', '-c', `exec ${closing}; exec bwrap "$@"`, 'bash', ...args];
}
