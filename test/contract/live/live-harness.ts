import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type {
  LiveDriver,
  LiveSandbox,
  RefusedCall,
  RunningStep,
  StepCommand,
  StepEnd,
} from '../../../src/platform/sandbox/live-sandbox.ts';
import type { SandboxLimits } from '../../../src/platform/sandbox/sandbox.ts';
import { CONTRACT_LIMITS } from '../sandbox/harness.ts';

export interface LiveHarness {
  readonly makeDriver: () => LiveDriver;
  driver(): LiveDriver;
  open(limits?: Partial<SandboxLimits>): Promise<LiveSandbox>;
}

/** Sandboxes that `open` made are destroyed after each check. */
export function installLiveHarness(makeDriver: () => LiveDriver): LiveHarness {
  let driver: LiveDriver;
  const opened: LiveSandbox[] = [];
  beforeAll(() => {
    driver = makeDriver();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((sandbox) => sandbox.destroy()));
  });
  afterAll(() => driver.close());
  return {
    makeDriver,
    driver: () => driver,
    async open(limits = {}) {
      const spec = { root: { kind: 'host' }, limits: { ...CONTRACT_LIMITS, ...limits }, lifeMs: 60_000 } as const;
      const sandbox = await driver.open(spec);
      opened.push(sandbox);
      return sandbox;
    },
  };
}

export interface DoneStep extends StepEnd {
  readonly stdout: string;
  readonly stderr: string;
  readonly told: string;
  readonly refused: readonly RefusedCall[];
}

export const ENVIRONMENT = { PATH: '/usr/bin:/bin', HOME: '/work' };

/** Starts a shell script as a step. */
export function begin(sandbox: LiveSandbox, script: string, rest: Partial<StepCommand> = {}): Promise<RunningStep> {
  const command = { argv: ['/bin/sh', '-c', script], cwd: '/work', env: ENVIRONMENT } as const;
  return sandbox.step({ ...command, wallMs: 10_000, outputBytes: 1_048_576, ...rest });
}

/** Runs a step until its program has ended. */
export async function step(sandbox: LiveSandbox, script: string, rest: Partial<StepCommand> = {}): Promise<DoneStep> {
  return finish(await begin(sandbox, script, rest));
}

export async function finish(running: RunningStep): Promise<DoneStep> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  running.stdout.on('data', (chunk) => out.push(chunk));
  running.stderr.on('data', (chunk) => err.push(chunk));
  running.stdin.end();
  const end = await running.ended;
  const text = (parts: Buffer[]) => Buffer.concat(parts).toString('utf8').trim();
  return {
    ...end,
    stdout: text(out),
    stderr: text(err),
    told: running.told().toString(),
    refused: running.refused().calls,
  };
}

/** A tracer whose log can be read. */
export function strace(sandbox: LiveSandbox): { readonly tracer: NonNullable<StepCommand['tracer']>; log(): string } {
  const path = join(sandbox.hostFolder, `log-${randomBytes(4).toString('hex')}`);
  const marker = `/marker-${randomBytes(8).toString('hex')}`;
  const argv = [
    '/usr/bin/strace',
    '-f',
    '-q',
    '--seccomp-bpf',
    '-y',
    '-ttt',
    '-e',
    'trace=execve,openat,kill',
    '-o',
    path,
    '--',
  ];
  return {
    tracer: { argv: argv as [string, ...string[]], marker },
    log: () => readFileSync(path, 'latin1').split(marker)[1] ?? '',
  };
}
