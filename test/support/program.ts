import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

const PROGRAM = { dist: ['dist/bin/proctor.js'], src: ['--import', 'tsx', 'src/bin/proctor.ts'] };

/** The program, running. */
export interface Program {
  readonly pid: number;
  /** What it printed until it was ready. */
  readonly printed: string;
  readonly child: ChildProcess;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts `proctor ARGS` from dist/ (or from src/, which need not be built) with these settings alone, and waits until it prints what `ready` matches. */
export async function startProgram(
  args: readonly string[],
  { settings, ready, from = 'dist' }: { settings: NodeJS.ProcessEnv; ready: RegExp; from?: 'dist' | 'src' },
): Promise<Program> {
  const child = spawn(process.execPath, [...PROGRAM[from], ...args], {
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
