import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const BINARY = '/usr/sbin/dockerd';
const START_MS = 30_000;

/** A Docker engine of the tests' own, on a socket that nobody else knows. */
export interface DockerEngine {
  readonly socketPath: string;
  /** Ends it as an administrator would: its containers end too. */
  stop(): Promise<void>;
  start(): Promise<void>;
  dispose(): Promise<void>;
}

/** Why there can be none here, or null. */
export function whyNoDocker(): string | null {
  if (process.getuid?.() !== 0) return 'dockerd needs root';
  return existsSync(BINARY) ? null : 'Docker is not installed; run scripts/setup.sh --docker';
}

/** Starts an engine without networks; `runtimes` as in daemon.json. */
export async function startDocker(runtimes: Record<string, { path: string }> = {}): Promise<DockerEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'proctor-docker-'));
  const socketPath = join(folder, 'engine.sock');
  const configuration = {
    ...{ 'data-root': join(folder, 'data'), 'exec-root': join(folder, 'exec'), pidfile: join(folder, 'pid') },
    ...{ bridge: 'none', iptables: false, ip6tables: false, hosts: [`unix://${socketPath}`], runtimes },
  };
  await writeFile(join(folder, 'daemon.json'), JSON.stringify(configuration));
  let engine: ChildProcess | null = null;
  const start = async () => {
    const child = spawn(BINARY, ['--config-file', join(folder, 'daemon.json')], { stdio: 'ignore' });
    engine = child;
    for (const end = Date.now() + START_MS; !(await answers(socketPath)); await pause(50)) {
      if (child.exitCode !== null || Date.now() > end) throw new Error(`dockerd does not start (${child.exitCode})`);
    }
  };
  const stop = async () => {
    const child = engine;
    engine = null;
    if (child === null || child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  await start();
  return {
    ...{ socketPath, start, stop },
    async dispose() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: '/_ping' }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on('error', () => resolve(false));
    asked.end();
  });
}
