import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** A PostgreSQL server of the tests' own. */
export interface PostgresServer {
  readonly url: string;
  /** The same by its Unix socket. */
  readonly localUrl: string;
  /** Stops it at once, as a crash would (pg_ctl stop -m immediate). */
  crash(): void;
  start(): void;
  dispose(): Promise<void>;
}

/** Starts a server on a free loopback port, or gives null when PostgreSQL is not installed (apt-get install postgresql). */
export async function startPostgres(): Promise<PostgresServer | null> {
  const binaries = await findBinaries();
  if (binaries === null) return null;
  const folder = await mkdtemp(join(tmpdir(), 'proctor-postgres-'));
  const asPostgres = process.getuid?.() === 0;
  const run = (program: string, args: readonly string[]) => {
    const command = [join(binaries, program), ...args];
    // the server refuses to run as root
    const [file, ...rest] = asPostgres ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    execFileSync(file as string, rest, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder });
  };
  if (asPostgres) {
    const uid = Number(execFileSync('id', ['-u', 'postgres']).toString());
    await chown(folder, uid, uid);
  }
  await chmod(folder, 0o700);
  const data = join(folder, 'data');
  const port = await freePort();
  run('initdb', ['-D', data, '-U', 'proctor', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C']);
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c fsync=off`;
  const start = () => run('pg_ctl', ['-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start']);
  const crash = () => run('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop']);
  start();
  return {
    url: `postgres://proctor@127.0.0.1:${port}/postgres`,
    localUrl: `postgres://proctor@localhost:${port}/postgres?host=${encodeURIComponent(folder)}`,
    crash,
    start,
    async dispose() {
      try {
        crash();
      } catch {
        // it was stopped already
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findBinaries(): Promise<string | null> {
  const versions = await readdir('/usr/lib/postgresql').catch((): string[] => []);
  const newest = versions
    .map(Number)
    .filter(Number.isFinite)
    .sort((a, b) => b - a)[0];
  return newest === undefined ? null : `/usr/lib/postgresql/${newest}/bin`;
}
