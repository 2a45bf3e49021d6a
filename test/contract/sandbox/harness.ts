import { afterAll, afterEach, beforeAll } from 'vitest';
import type {
  Command,
  ExecResult,
  Sandbox,
  SandboxDriver,
  SandboxLimits,
} from '../../../src/platform/sandbox/sandbox.ts';

export const MEBIBYTE = 1024 ** 2;

/** Small limits, so that every attack meets one soon. */
export const CONTRACT_LIMITS: SandboxLimits = {
  wallMs: 4_000,
  cpuMs: 2_000,
  memoryBytes: 128 * MEBIBYTE,
  processes: 48,
  outputBytes: MEBIBYTE,
  fileBytes: 16 * MEBIBYTE,
  diskBytes: 32 * MEBIBYTE,
};

/** What the checks of the contract work with. Sandboxes that `open` made are destroyed after each check. */
export interface Harness {
  driver(): SandboxDriver;
  open(limits?: Partial<SandboxLimits>, tools?: Record<string, string>): Promise<Sandbox>;
}

export function installHarness(makeDriver: () => SandboxDriver): Harness {
  let driver: SandboxDriver;
  const opened: Sandbox[] = [];
  beforeAll(() => {
    driver = makeDriver();
  });
  afterAll(() => driver.close());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((sandbox) => sandbox.destroy()));
  });
  return {
    driver: () => driver,
    async open(limits = {}, tools = {}) {
      const sandbox = await driver.create({ root: { kind: 'host' }, limits: { ...CONTRACT_LIMITS, ...limits }, tools });
      opened.push(sandbox);
      return sandbox;
    },
  };
}

export function run(sandbox: Sandbox, argv: Command['argv'], rest: Partial<Command> = {}): Promise<ExecResult> {
  return sandbox.exec({ argv, ...rest });
}

export function shell(sandbox: Sandbox, script: string, rest: Partial<Command> = {}): Promise<ExecResult> {
  return run(sandbox, ['/bin/sh', '-c', script], rest);
}

export function python(sandbox: Sandbox, source: string): Promise<ExecResult> {
  return run(sandbox, ['/usr/bin/python3', '-I', '-c', source]);
}

export function text(bytes: Buffer): string {
  return bytes.toString('utf8').trim();
}
