import { join } from 'node:path';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { soundAudit } from '../../test/support/api-client.ts';
import { freePort } from '../../test/support/free-port.ts';
import { type PostgresServer, startPostgres } from '../../test/support/postgres-server.ts';
import { type RedisServer, startRedis } from '../../test/support/redis-server.ts';
import { writeTinyTask } from '../../test/support/tiny-task.ts';
import { type Client, clientOf, post } from './client.ts';
import { type Seat, seatFor } from './seats.ts';

/** One API, some workers, PostgreSQL and Redis, all of this run's own. */
export interface Cluster {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly api: Seat;
  readonly workers: readonly Seat[];
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
  const settings = {
    ...{ PROCTOR_DATABASE_URL: postgres.url, PROCTOR_REDIS_URL: redis.url, PROCTOR_LOG_LEVEL: 'fatal' },
    ...{ PROCTOR_DATA_DIR: join(scratch, 'data'), PROCTOR_PORT: String(port), PROCTOR_GRADE_CONCURRENCY: '2' },
  };
  const folder = await writeTinyTask(join(scratch, 'task'));
  const api = seatFor(['serve', '--api-only', '--tasks', folder], { settings, ready: /listens on http.*\n(.*\n)*/ });
  const { printed } = await api.start();
  const seats = Array.from({ length: workers }, () =>
    seatFor(['worker', '--json'], { settings, ready: /"concurrency":.*\n/ }),
  );
  await Promise.all(seats.map((seat) => seat.start()));
  const access = { url: `http://127.0.0.1:${port}`, apiKey: /proctor_\w+/.exec(printed)?.[0] ?? '' };
  const task = await loadTask(folder);
  await post(access, '/v1/admissions', soundAudit(task));
  const { instance_id: instanceId } = await post(access, '/v1/instances', { task: task.name, seed: 'chaos' });
  const database = await openDatabase({ url: postgres.url });
  return {
    ...{ postgres, redis, api, workers: seats, database },
    client: clientOf({ ...access, instanceId: String(instanceId), path: 'double.py' }),
    async close() {
      await Promise.all([...seats, api].map((seat) => seat.end('SIGTERM')));
      await database.close();
      await redis.dispose();
      await postgres.dispose();
    },
  };
}
