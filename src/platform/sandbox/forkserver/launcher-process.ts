import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { ProctorError } from '../../base/errors.ts';
import { encodeRequest, type Step } from './request.ts';

/** `sandbox`: a pid namespace and the rest of a sandbox. `zygote`: a program of ours that stays root and sees all pids. */
export type RequestKind = 'sandbox' | 'zygote';

/** The resident process that clones the first process of every sandbox; see sandbox.c. */
export interface LauncherProcess {
  /** Asks for a clone that takes these steps; gives the connection on which it tells what becomes of it. `sandbox-failed`. */
  request(kind: RequestKind, steps: readonly Step[]): Promise<Socket>;
  close(): Promise<void>;
}

/** Starts it with the first request, and again when it was lost. `folder` is the service's own, on this host. */
export function startLauncherProcess(program: string, folder: string): LauncherProcess {
  let running: Running | null = null;
  let count = 0;
  return {
    async request(kind, steps) {
      if (running === null || running.lost()) running = start(program, join(folder, `launcher-${count++}`));
      await running.ready;
      const socket = connect({ path: running.sockets[kind], allowHalfOpen: true });
      socket.on('error', () => undefined); // its end tells the same
      socket.write(encodeRequest(steps));
      return socket;
    },
    close: async () => running?.close(),
  };
}

interface Running {
  readonly sockets: Readonly<Record<RequestKind, string>>;
  readonly ready: Promise<void>;
  lost(): boolean;
  close(): Promise<void>;
}

function start(program: string, folder: string): Running {
  mkdirSync(join(folder, 'root'), { recursive: true, mode: 0o700 });
  const sockets = { sandbox: join(folder, 's'), zygote: join(folder, 'z') };
  const child = spawn(program, [join(folder, 'root'), sockets.sandbox, sockets.zygote], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true, // it must outlive a Ctrl-C, since running grades are finished first
    env: {},
  });
  const exited = new Promise<void>((resolve) => {
    child.on('error', () => resolve());
    child.on('exit', () => resolve());
  });
  const ready = isReady(child, exited);
  ready.catch(() => undefined);
  child.unref(); // it must not keep a program alive that forgot to close its driver
  return {
    sockets,
    ready,
    lost: () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined,
    async close() {
      child.ref();
      child.stdin?.end();
      await exited;
    },
  };
}

async function isReady(child: ChildProcess, exited: Promise<void>): Promise<void> {
  const told = new Promise<true>((resolve) => child.stdout?.once('data', () => resolve(true)));
  const ended = exited.then(() => false as const);
  if (await Promise.race([told, ended])) return;
  throw new ProctorError('sandbox-failed', `the sandbox launcher does not start (exit code ${child.exitCode})`);
}
