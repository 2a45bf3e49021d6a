import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** The built program (dist/), running. */
export interface Program {
  readonly pid: number;
  /** What it printed until it was ready. */
  readonly printed: string;
  readonly child: ChildProcess;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts `proctor ARGS` from dist/ with these settings alone, and waits until it prints what `ready` matches. */
export async function startProgram(
  args: readonly string[],
  { settings, ready }: { settings: NodeJS.ProcessEnv; ready: RegExp },
): Promise<Program> {
  const child = spawn(process.execPath, ['dist/bin/proctor.js', ...args], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: REPOSITORY,
  });
  let printed = '';
  const ended = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (ready.test(printed)) resolve();
    });
    ended.then(() => reject(new Error(`proctor ${args.join(' ')} did not start`)), reject);
  });
  return {
    pid: child.pid ?? 0,
    printed,
    child,
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}
