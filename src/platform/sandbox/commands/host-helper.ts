import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ProctorError } from '../../base/errors.ts';

/** What the resident helper does on the host; see host_helper.py. */
export interface HostHelper {
  /** Mounts a tmpfs with one folder in it, which is `uid`'s. */
  mount(mount: { path: string; bytes: number; inodes: number; folder: string; uid: number }): Promise<void>;
  unmount(path: string): Promise<void>;
  /** Makes FIFOs that anybody may open who gets to their folder. */
  fifos(paths: readonly string[]): Promise<void>;
  /** Makes pipes that `uid` may reopen, lets `open` open their ends by path, and drops the helper's own ends. */
  pipes<T>(request: { count: number; uid: number | null }, open: (ends: readonly PipeEnds[]) => T): Promise<T>;
  close(): Promise<void>;
}

/** Paths through which the two ends of a pipe can be opened. */
export interface PipeEnds {
  readonly readPath: string;
  readonly writePath: string;
}

const answerSchema = z.union([
  z.object({ ok: z.literal(true), ends: z.array(z.tuple([z.number(), z.number()])).default([]) }),
  z.object({ ok: z.literal(false), errno: z.string(), error: z.string() }),
]);

type Ends = readonly (readonly [number, number])[];
type Waiting = { readonly done: (ends: Ends) => void; readonly failed: (error: ProctorError) => void };

/** The helper of one driver: started with the first request, and again when it was lost. */
export function startHostHelper(): HostHelper {
  let worker: Worker | null = null;
  const ask = (request: Record<string, unknown>) => {
    if (worker === null || worker.lost()) worker = startWorker();
    return worker.ask(request);
  };
  return {
    mount: async (mount) => void (await ask({ op: 'mount', ...mount })),
    unmount: async (path) => void (await ask({ op: 'unmount', path })),
    fifos: async (paths) => void (await ask({ op: 'fifos', paths })),
    async pipes(request, open) {
      const ends = await ask({ op: 'pipes', ...request });
      const path = (descriptor: number) => `/proc/${worker?.pid}/fd/${descriptor}`;
      try {
        return open(ends.map(([read, write]) => ({ readPath: path(read), writePath: path(write) })));
      } finally {
        ask({ op: 'close', descriptors: ends.flat() }).catch(() => undefined);
      }
    },
    close: async () => worker?.close(),
  };
}

/** One life of the helper's process. */
interface Worker {
  readonly pid: number | undefined;
  /** Answers come in the order of the requests. */
  ask(request: Record<string, unknown>): Promise<Ends>;
  lost(): boolean;
  close(): Promise<void>;
}

function startWorker(): Worker {
  const script = fileURLToPath(new URL('host_helper.py', import.meta.url));
  const child = spawn('/usr/bin/python3', ['-I', '-S', '-B', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true, // it must outlive a Ctrl-C, since running grades are finished first
    env: {},
  });
  const waiting: Waiting[] = [];
  let failure: ProctorError | null = null;
  const exited = new Promise<void>((resolve) => {
    const end = (why: string, cause?: unknown) => {
      failure ??= new ProctorError('sandbox-failed', `the sandbox host helper ended: ${why}`, {}, { cause });
      for (const request of waiting.splice(0)) request.failed(failure);
      resolve();
    };
    child.on('error', (error) => end(error.message, error));
    child.on('exit', (code, signal) => end(`exit code ${code}, signal ${signal}`));
  });
  child.stdin?.on('error', () => undefined);
  if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => settle(waiting.shift(), line));
  child.unref(); // it must not keep a program alive that forgot to close its driver
  return {
    pid: child.pid,
    lost: () => failure !== null,
    ask: (request) =>
      new Promise<Ends>((done, failed) => {
        if (failure !== null) return failed(failure);
        waiting.push({ done, failed });
        child.stdin?.write(`${JSON.stringify(request)}\n`);
      }),
    async close() {
      child.ref();
      child.stdin?.end();
      await exited;
    },
  };
}

function settle(request: Waiting | undefined, line: string): void {
  const answer = answerSchema.parse(JSON.parse(line));
  if (answer.ok) {
    request?.done(answer.ends);
    return;
  }
  const code = answer.errno === 'ENOSPC' ? 'disk-full' : 'sandbox-failed';
  request?.failed(new ProctorError(code, `the sandbox host helper failed: ${answer.error}`, { errno: answer.errno }));
}
