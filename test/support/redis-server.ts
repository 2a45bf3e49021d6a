import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

const BINARY = '/usr/bin/redis-server';

/** A Redis server of the tests' own, without persistence. */
export interface RedisServer {
  readonly url: string;
  /** Ends it at once; what it held is gone. */
  crash(): Promise<void>;
  start(): Promise<void>;
  dispose(): Promise<void>;
}

/** Starts a server on a free loopback port, or gives null when Redis is not installed (apt-get install redis-server). */
export async function startRedis(): Promise<RedisServer | null> {
  if (!existsSync(BINARY)) return null;
  const folder = await mkdtemp(join(tmpdir(), 'proctor-redis-'));
  const port = await freePort();
  let child: ChildProcess | null = null;
  const start = async () => {
    const options = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      folder,
    ];
    const server = spawn(BINARY, options, { stdio: ['ignore', 'pipe', 'ignore'] });
    child = server;
    await new Promise<void>((resolve, reject) => {
      server.stdout.on('data', (chunk: Buffer) => chunk.includes('Ready to accept connections') && resolve());
      server.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
    });
  };
  const crash = async () => {
    const server = child;
    child = null;
    if (server === null || server.exitCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    crash,
    async dispose() {
      await crash();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
