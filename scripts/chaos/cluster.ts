import { join } from 'node:path';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { soundAudit } from '../../test/support/api-client.ts';
import { type DockerEngine, startDocker, whyNoDocker } from '../../test/support/docker-engine.ts';
import { freePort } from '../../test/support/free-port.ts';
import { type PostgresServer, startPostgres } from '../../test/support/postgres-server.ts';
import { type RedisServer, startRedis } from '../../test/support/redis-server.ts';
import { writeTinyTask } from '../../test/support/tiny-task.ts';
import { type Client, clientOf, post } from './client.ts';
import { type Seat, seatFor } from './seats.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** One API, some workers, PostgreSQL and Redis, all of this run's own. */
export interface Cluster {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly api: Seat;
  /** The last of them makes its sandboxes with the container engine, where there is one. */
  readonly workers: readonly Seat[];
  readonly reaper: Seat;
  readonly engine: DockerEngine | null;
  /** A file system of a bounded size, which everything is stored in; null where none can be mounted. */
  readonly disk: SmallDisk | null;
  readonly client: Client;
  /** To look at what came of it. */
  readonly database: Database;
  /** Ends everything, gently first. */
  close(): Promise<void>;
}

/** Starts it all on free ports, with one task registered and admitted. */
export async function openCluster(scratch: string, workers: number): Promise<Cluster> {
  const [postgres, redis, port] = [await startPostgres(), await startRedis(), await freePort()];
  if (postgres === null || redis === null)
    throw new Error('PostgreSQL and Redis are needed: bash scripts/setup.sh --server');
  const engine = whyNoDocker() === null ? await startDocker() : null;
  const disk = mountSmallDisk(join(scratch, 'data'));
  const settings = {
    ...{
      PROCTOR_DATABASE_URL: postgres.url,
      PROCTOR_REDIS_URL: redis.url,
      PROCTOR_LOG_LEVEL: 'fatal',
      PROCTOR_MAX_ATTEMPTS: '0',
    },
    ...{ PROCTOR_DATA_DIR: join(scratch, 'data'), PROCTOR_PORT: String(port), PROCTOR_GRADE_CONCURRENCY: '2' },
  };
  const docker = engine && { PROCTOR_SANDBOX_DRIVER: 'docker', PROCTOR_DOCKER_SOCKET: engine.socketPath };
  const folder = await writeTinyTask(join(scratch, 'task'));
  const api = seatFor(['serve', '--api-only', '--tasks', folder], { settings, ready: /listens on http.*\n(.*\n)*/ });
  const { printed } = await api.start();
  const seats = Array.from({ length: workers }, (_, index) => {
    const own = index === workers - 1 ? docker : null;
    return seatFor(['worker', '--json'], { settings: { ...settings, ...own }, ready: /"concurrency":.*\n/ });
  });
  const reaper = seatFor(['reaper', '--json', '--every', '2'], {
    settings: { ...docker },
    ready: /"everySeconds":.*\n/,
  });
  await Promise.all([...seats, reaper].map((seat) => seat.start()));
  const access = { url: `http://127.0.0.1:${port}`, apiKey: /proctor_\w+/.exec(printed)?.[0] ?? '' };
  const task = await loadTask(folder);
  await post(access, '/v1/admissions', soundAudit(task));
  const { instance_id: instanceId } = await post(access, '/v1/instances', { task: task.name, seed: 'chaos' });
  const database = await openDatabase({ url: postgres.url });
  return {
    ...{ postgres, redis, api, workers: seats, reaper, engine, disk, database },
    client: clientOf({ ...access, instanceId: String(instanceId), path: 'double.py' }),
    async close() {
      await Promise.all([...seats, reaper, api].map((seat) => seat.end('SIGTERM')));
      await database.close();
      await redis.dispose();
      await postgres.dispose();
      await engine?.dispose();
      disk?.unmount();
    },
  };
}
