import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { ProctorError } from '../../base/errors.ts';
import type { Held, HoldHome, Launcher } from '../commands/launcher.ts';
import { endProcess } from '../commands/process-mark.ts';
import { INSIDE_UID } from '../commands/program.ts';
import { readFirstProcess } from '../commands/status-stream.ts';
import { TailBuffer } from '../commands/tail-buffer.ts';
import { holdArguments, untilHeld } from '../live/hold-script.ts';
import { bwrapArguments } from './arguments.ts';
import { closingInherited } from './launch.ts';

const STATUS = 3;
const GATE = 4;
const ERRORS_BYTES = 4_096;

/** NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET (linux/sched.h): all that `--unshare-all` makes anew. */
const NAMESPACES = 0x7e020000;

/** Spawns bwrap for a first process that outlives this one. */
async function holdInBubblewrap(home: HoldHome): Promise<Held> {
  const args = bwrapArguments({
    ...home,
    program: holdArguments(),
    outlives: true,
    descriptors: { status: STATUS, gate: GATE, seccomp: null },
  });
  const [program, ...rest] = closingInherited(args, {});
  const bwrap = spawn(program, rest, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
    uid: home.uid,
    gid: home.uid,
  });
  bwrap.on('error', () => undefined); // it has no first process then
  const errors = new TailBuffer(ERRORS_BYTES);
  bwrap.stderr?.on('error', () => undefined).on('data', (chunk: Buffer) => errors.add(chunk));
  const gate = bwrap.stdio[GATE] as Writable;
  gate.on('error', () => undefined);
  const first = bwrap.pid === undefined ? null : await readFirstProcess(bwrap.stdio[STATUS] as Readable);
  if (first?.mark === undefined || first.mark === null) {
    throw new ProctorError(
      'sandbox-failed',
      `bwrap could not hold a sandbox: ${errors.bytes().toString('utf8').trim()}`,
    );
  }
  home.cgroup.join(first.pid); // while bwrap holds it at the gate
  gate.end('x');
  await untilHeld(first).catch((thrown) => {
    endProcess(first);
    bwrap.kill('SIGKILL');
    throw thrown;
  });
  bwrap.unref();
  // nor may its streams keep this process; not sooner, since bwrap writes to them until there is a sandbox
  for (const stream of bwrap.stdio) stream?.destroy();
  return { first, namespaces: NAMESPACES, uidInside: INSIDE_UID, handle: null };
}

/** How launchers on this machine hold live sandboxes whose processes are its own. */
export const heldByBubblewrap: Pick<Launcher, 'hold' | 'release'> = {
  hold: holdInBubblewrap,
  release: async () => undefined,
};
