import { createKey } from '../../src/api/keys.ts';
import { createMetrics } from '../../src/api/metrics.ts';
import { appOver } from '../../src/bin/api.ts';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { withScratchService } from '../../src/bin/scratch-service.ts';
import { loadConfig } from '../../src/bin/with-service.ts';
import { saveAdmission } from '../../src/stages/task/admission-store.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { soundAudit } from '../../test/support/api-client.ts';
import { writeCompatTasks } from '../../test/support/compat-tasks.ts';
import { startFaultProxy } from './fault-proxy.ts';

/** What a client finds. */
export interface Surroundings {
  readonly url: string;
  readonly proxyUrl: string;
  readonly trainerKey: string;
  readonly harnessKey: string;
}

/** A whole service on loopback with two small tasks, and a proxy before it that makes faults. */
export function withSurroundings<T>(use: (surroundings: Surroundings) => Promise<T>): Promise<T> {
  return withScratchFolder('clients', async (folder) => {
    const { tasks, policyFolder } = await writeCompatTasks(folder);
    const settings = { PROCTOR_POLICY_DIR: policyFolder, PROCTOR_LOG_LEVEL: 'silent', PROCTOR_REDIS_URL: '' };
    return withScratchService(
      async (service) => {
        for (const path of tasks) {
          const task = await loadTask(path);
          await saveTask(service.parts, task);
          await saveAdmission(service.parts.database, soundAudit(task));
        }
        const keyFor = async (role: 'trainer' | 'harness') =>
          (await createKey(service.parts.database, { name: role, role })).text;
        const [trainerKey, harnessKey] = [await keyFor('trainer'), await keyFor('harness')];
        const app = await appOver(service, loadConfig(settings), createMetrics());
        const url = await app.listen({ host: '127.0.0.1', port: 0 });
        const proxy = await startFaultProxy(url);
        try {
          return await use({ url, proxyUrl: proxy.url, trainerKey, harnessKey });
        } finally {
          await proxy.close();
          await app.close();
        }
      },
      settings,
      { sessions: true },
    );
  });
}
