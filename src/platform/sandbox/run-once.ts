import type { Command, ExecResult, SandboxDriver, SandboxSpec } from './sandbox.ts';

/** Commands to run one after the other in a sandbox of their own. */
export interface OnceRequest extends SandboxSpec {
  /** Beneath the work folder, before the first command. */
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
  readonly commands: readonly Command[];
  /** Files to read afterwards, each at most so large; what is no such file is left out. */
  readonly fetch: readonly string[];
  readonly fetchBytes: number;
}

/** What they left. */
export interface OnceResult {
  /** Of the commands that ran: the first that fails is the last. */
  readonly results: readonly ExecResult[];
  readonly files: Readonly<Record<string, Buffer>>;
}

/** Makes a sandbox, runs commands in it until one fails, and removes it. Rejects only for platform faults. */
export async function runOnce(
  driver: SandboxDriver,
  { files, commands, fetch, fetchBytes, ...spec }: OnceRequest,
): Promise<OnceResult> {
  const sandbox = await driver.create(spec);
  try {
    for (const { path, bytes } of files) await sandbox.writeFile(path, bytes);
    const results: ExecResult[] = [];
    for (const command of commands) {
      const result = await sandbox.exec(command);
      results.push(result);
      if (result.ending.kind !== 'exited' || result.ending.code !== 0) break;
    }
    const found: Record<string, Buffer> = {};
    for (const path of fetch) {
      const read = await sandbox.readFile(path, { maxBytes: fetchBytes });
      if (read.kind === 'file') found[path] = read.bytes;
    }
    return { results, files: found };
  } finally {
    await sandbox.destroy();
  }
}
