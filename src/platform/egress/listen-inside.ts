import { type ChildProcess, spawn } from 'node:child_process';
import { Server, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ProctorError } from '../base/errors.ts';
import { openNetworkNamespace } from './network-namespace.ts';
import { programPath } from './system-program.ts';

/** Where a sandbox finds its gateway, on its own loopback. */
export const GATEWAY_PORT = 3128;
/** Milliseconds for the listener to arrive; it takes about 50. */
const LIMIT_MS = 10_000;
/** The namespace's descriptor in the helper: the first one behind stdin, stdout and stderr. */
const NAMESPACE_DESCRIPTOR = 3;
/** Characters of the helper's complaints that an error message may carry. */
const MAX_COMPLAINT = 2_000;

const messageSchema = z.union([z.object({ listening: z.literal(true) }), z.object({ error: z.string() })]);

/** A process in a network namespace of its own whose loopback is up, and a TCP port there. */
export interface ListenPlace {
  readonly pid: number;
  /** {@link GATEWAY_PORT} by default; 0 takes a free one. */
  readonly port?: number;
}

/**
 * Listens on 127.0.0.1 inside the network namespace of a process, and accepts here: the sandbox has no interface but
 * `lo`. The helper that made the listener has exited before this returns, since both would accept while it lives.
 * Call `Gateway.serve` at once, before awaiting anything else; connections until then are closed.
 *
 * @throws ProctorError `sandbox-failed` when there is no listener within 10 s, `capability-missing` without nsenter
 */
export async function listenInside({ pid, port = GATEWAY_PORT }: ListenPlace): Promise<Server> {
  const nsenter = programPath({ name: 'nsenter', debianPackage: 'util-linux' });
  const namespace = openNetworkNamespace(pid);
  try {
    const script = fileURLToPath(new URL('listener-process.mjs', import.meta.url));
    const enter = `--net=/proc/self/fd/${NAMESPACE_DESCRIPTOR}`;
    const child = spawn(nsenter, [enter, process.execPath, script, String(port)], {
      stdio: ['ignore', 'ignore', 'pipe', namespace.descriptor, 'ipc'],
      env: {},
    });
    return await receiveListener(child);
  } finally {
    namespace.close();
  }
}

async function receiveListener(child: ChildProcess): Promise<Server> {
  let server: Server | null = null;
  let complaint = '';
  child.stderr?.on('data', (text: Buffer) => {
    complaint = `${complaint}${text.toString('utf8')}`.slice(0, MAX_COMPLAINT);
  });
  child.on('message', (message, handle) => {
    const read = messageSchema.safeParse(message);
    if (read.success && 'error' in read.data) complaint = read.data.error;
    if (!read.success || !(handle instanceof Server)) return;
    server = handle.on('connection', turnAway);
    child.send({ received: true }, () => undefined); // it may be gone already
  });
  const ended = await endOf(child);
  const listener = server as Server | null; // the compiler does not see the assignment above
  if (listener === null || ended !== 'exit code 0') {
    listener?.close();
    const why = `no listener inside the sandbox's network: ${complaint.trim() || ended}`;
    throw new ProctorError('sandbox-failed', why, { ended });
  }
  return listener.off('connection', turnAway);
}

function turnAway(socket: Socket): void {
  socket.on('error', () => undefined).destroy();
}

/** Waits until the helper has ended, by force when the time is up. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    const end = (how: string) => {
      clearTimeout(timer);
      resolve(how);
    };
    child.on('error', (error) => {
      if (child.pid === undefined) end(error.message); // it never started
    });
    child.on('close', (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
}
