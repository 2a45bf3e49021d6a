import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { ProctorError } from '../../base/errors.ts';
import { type Command, LINK_DESCRIPTORS } from '../sandbox.ts';
import { bwrapArguments } from './arguments.ts';
import type { CommandHome } from './command-home.ts';
import { inheritedDescriptors } from './inherited-descriptors.ts';
import type { CommandPipes } from './pipes.ts';

/** Descriptor numbers in bwrap: after the three standard ones. */
const STATUS = 3;
const GATE = 4;
const ENDED = 5;
const SECCOMP = 6;

const INHERITED = inheritedDescriptors(SECCOMP + 1);

/** A bwrap that was started and holds its command at the gate. */
export interface Launched {
  readonly bwrap: ChildProcess;
  /** What bwrap tells about the sandbox. */
  readonly status: Readable;
  /** One byte lets the command begin. */
  readonly gate: Writable;
  /** What the first process tells about the program's end. */
  readonly ended: Readable;
}

/** Spawns bwrap for a command, as the slot's uid. */
export function launch(home: CommandHome, command: Command, pipes: CommandPipes): Launched {
  let seccomp: number | null = null;
  try {
    seccomp = home.seccompFile === null ? null : openSync(home.seccompFile, 'r');
    const args = bwrapArguments({
      ...home,
      memoryPerProcess: home.cgroup === null,
      command,
      descriptors: { status: STATUS, gate: GATE, ended: ENDED, seccomp: seccomp === null ? null : SECCOMP },
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
    return { bwrap, gate, status: streams[STATUS] as Readable, ended: streams[ENDED] as Readable };
  } finally {
    pipes.releaseChildEnds();
    if (seccomp !== null) closeSync(seccomp);
  }
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
function closingInherited(args: readonly string[], { link }: Command): [string, ...string[]] {
  const wanted: readonly number[] = link === undefined ? [] : Object.values(LINK_DESCRIPTORS);
  const unwanted = INHERITED.filter((descriptor) => !wanted.includes(descriptor));
  if (unwanted.length === 0) return ['bwrap', ...args];
  const closing = unwanted.map((descriptor) => `${descriptor}>&-`).join(' ');
  return ['/bin/bash', '-c', `exec ${closing}; exec bwrap "$@"`, 'bash', ...args];
}
