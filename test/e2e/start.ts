import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetrics } from '../../src/api/metrics.ts';
import { appOver } from '../../src/bin/api.ts';
import { BUNDLED } from '../../src/bin/bundled.ts';
import { openService, type Service } from '../../src/bin/open-service.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { createLog } from '../../src/platform/base/log.ts';

/** A real service with its pages, on a port of its own and an empty embedded database. */
export async function startService(environment: NodeJS.ProcessEnv = {}): Promise<{
  readonly service: Service;
  readonly config: Config;
  readonly scratch: string;
  readonly address: string;
  stop(): Promise<void>;
}> {
  const scratch = await mkdtemp(join(tmpdir(), 'proctor-e2e-'));
  const settings = {
    PROCTOR_DATA_DIR: join(scratch, 'data'),
    PROCTOR_LOG_LEVEL: 'error',
    PROCTOR_PORT: '0',
    ...environment,
  };
  const config = readConfig(settings, BUNDLED);
  const service = await openService(config, createLog(config.logLevel), { sessions: true });
  const app = await appOver(service, config, createMetrics());
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    ...{ service, config, scratch, address },
    async stop() {
      await app.close();
      await service.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
