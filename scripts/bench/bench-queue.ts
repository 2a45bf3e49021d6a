import { join } from 'node:path';
import type { Service } from '../../src/bin/open-service.ts';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { withService } from '../../src/bin/with-service.ts';
import type { Manifest } from '../../src/stages/artifact/artifact.ts';
import { saveArtifact } from '../../src/stages/artifact/artifact-store.ts';
import { saveInstance } from '../../src/stages/instance/instance-store.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { createRewardWatch } from '../../src/stages/reward/reward-watch.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { startRedis } from '../../test/support/redis-server.ts';
import { writeTinyTask } from '../../test/support/tiny-task.ts';
import { type Aim, aimOf, type Candidate, measure, type Row } from './measure.ts';

const IN_FLIGHT = [1, 8, 32];
const ITEMS = 200;
const REFUSED = { reason: 'too-many-files', detail: 'for the bench: nothing of it is run' } as const;

/**
 * Hand-ins that need no sandbox, through every step to a stored reward with signed evidence, in PostgreSQL (`fsync` off): what the
 * service adds to a grade, with the queue of one process and with the one in Redis.
 */
export async function benchQueue(rounds: number): Promise<{ rows: readonly Row[]; aims: readonly Aim[] }> {
  const [postgres, redis] = [await startPostgres(), await startRedis()];
  if (postgres === null || redis === null)
    throw new Error('PostgreSQL and Redis are needed: bash scripts/setup.sh --server');
  try {
    return await withScratchFolder('bench', async (scratch) => {
      const own = { PROCTOR_DATABASE_URL: postgres.localUrl, PROCTOR_GRADE_CONCURRENCY: '8' };
      const alone = { ...own, PROCTOR_DATA_DIR: join(scratch, 'alone') };
      const task = await writeTinyTask(join(scratch, 'task'));
      return withService(
        (service) =>
          withService(
            async (other) => {
              const candidates = [
                await candidateOf('one process', { service, task }),
                await candidateOf('ids in Redis', { service: other, task }),
              ];
              const rows = await measure(candidates, { rounds, itemsPerRound: ITEMS, inFlight: IN_FLIGHT });
              const best = Math.max(...rows.map(({ perSecond }) => perSecond));
              return { rows, aims: [aimOf('jobs without a sandbox', { value: best, unit: '1/s' }, { least: 1_000 })] };
            },
            { ...alone, PROCTOR_REDIS_URL: redis.url },
          ),
        alone,
      );
    });
  } finally {
    await redis.dispose();
    await postgres.dispose();
  }
}

async function candidateOf(
  name: string,
  { service, task: folder }: { service: Service; task: string },
): Promise<Candidate> {
  const { database } = service.parts;
  const task = await loadTask(folder);
  await saveTask(service.parts, task);
  const { id: instanceId } = await saveInstance(database, makeInstance(task, { seed: 'bench' }));
  const rewards = createRewardWatch(database, { told: true });
  service.pipeline.onReward(rewards.tell);
  const nothing: Pick<Manifest, 'files' | 'leftBehind' | 'counts'> = { files: [], leftBehind: [], counts: {} };
  const manifest: Manifest = { format: 'proctor/artifact/1', ...nothing, refusal: REFUSED };
  return {
    name: `hand-in to reward without a sandbox, ${name}`,
    bare: name === 'one process',
    kind: 'queue',
    async run() {
      const { id } = await saveArtifact(database, { instanceId, manifest, idempotencyKey: null });
      await service.pipeline.begin(id, task.digest);
      const reward = await rewards.wait(id, performance.now() + 30_000);
      if (reward?.body.status !== 'scored') throw new Error(`${name}: ${JSON.stringify(reward)}`);
    },
  };
}
