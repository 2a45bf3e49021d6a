import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ProctorError } from '../base/errors.ts';

/** A lock that was held by a process killed a moment ago is free again within this time. */
const PATIENCE_SECONDS = 2;
const BUSY = 75; // flock -E: the exit code for "held by another process"

/**
 * Holds an exclusive kernel lock (flock(2)) on a file through a child that lives as long as this process:
 * Node has no flock of its own, and files with pids in them race. Throws `database-locked` when another holds it.
 */
export async function lockFile(path: string): Promise<{ release: () => Promise<void> }> {
  const args = ['-w', String(PATIENCE_SECONDS), '-E', String(BUSY), '--no-fork', path, 'cat'];
  // the lock is held until the service lets go of it, whatever signals their terminal or init sends to both
  const script = 'trap "" INT TERM HUP; exec flock "$@"';
  const holder = spawn('/bin/sh', ['-c', script, 'sh', ...args], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const exited = once(holder, 'exit').catch((cause) => {
    throw new ProctorError('database-locked', `flock (package util-linux) does not start: ${cause.message}`);
  });
  holder.stdin.on('error', () => undefined);
  holder.stdin.write('held\n');
  const answered = once(holder.stdout, 'data').then(() => 'held' as const);
  answered.catch(() => undefined);
  const first = await Promise.race([answered, exited.then(([code]) => code as number)]);
  if (first !== 'held') {
    throw new ProctorError('database-locked', `another process uses ${path}`, { path, exitCode: first });
  }
  holder.unref();
  for (const stream of [holder.stdin, holder.stdout]) (stream as unknown as { unref(): void }).unref();
  return {
    async release() {
      holder.ref();
      holder.stdin.end();
      await exited;
    },
  };
}
