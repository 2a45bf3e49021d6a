import { join } from 'node:path';
import type { Service } from '../../src/bin/open-service.ts';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { withScratchService } from '../../src/bin/scratch-service.ts';
import { startDocker, whyNoDocker } from '../../test/support/docker-engine.ts';
import { prepareGrade } from './bench-grade.ts';
import { type Candidate, measure, type Row } from './measure.ts';

const TASK = 'implement-slugify';
const IN_FLIGHT = [1, 2];
const NAMES = ['in bubblewrap', 'in Docker, cold', 'in Docker, made ahead'];
/** In which four containers come up to their gate. */
const REFILL_MS = 3_000;

/**
 * A whole function grade in containers that are made for it, in containers that waited at their gate, and in bubblewrap, beside
 * one bare process that does the same work. The engine is one of the bench's own.
 */
export async function benchDocker(rounds: number): Promise<{ rows: readonly Row[]; aims: readonly [] }> {
  const fault = whyNoDocker();
  if (fault !== null) throw new Error(`no Docker engine can be measured here: ${fault}`);
  const engine = await startDocker();
  const docker = { PROCTOR_SANDBOX_DRIVER: 'docker', PROCTOR_DOCKER_SOCKET: engine.socketPath };
  try {
    return await withScratchFolder('bench', (scratch) =>
      withServices(
        [
          { PROCTOR_SANDBOX_DRIVER: 'bubblewrap' },
          { ...docker, PROCTOR_WARM_SANDBOXES: '0' },
          { ...docker, PROCTOR_WARM_SANDBOXES: String(4 * Math.max(...IN_FLIGHT)) },
        ],
        async (services) => {
          const prepared = await Promise.all(
            services.map((service, index) => prepareGrade(service, TASK, join(scratch, String(index)))),
          );
          const [plain, cold, ahead] = prepared.map(({ graded }, index) =>
            graded(`function grade ${NAMES[index]}`),
          ) as [Candidate, Candidate, Candidate];
          // without gaps nothing can be made ahead of the next grade
          const graded = [plain, cold, { ...ahead, restMs: REFILL_MS }];
          const { bare } = prepared[0] as (typeof prepared)[number];
          const rows = await measure([bare, ...graded], { rounds, itemsPerRound: 6, inFlight: IN_FLIGHT });
          return { rows, aims: [] as const };
        },
      ),
    );
  } finally {
    await engine.dispose();
  }
}

/** Services of several settings at once. */
function withServices<T>(
  [first, ...others]: readonly NodeJS.ProcessEnv[],
  use: (services: readonly Service[]) => Promise<T>,
): Promise<T> {
  if (first === undefined) return use([]);
  return withScratchService((service) => withServices(others, (rest) => use([service, ...rest])), first);
}
