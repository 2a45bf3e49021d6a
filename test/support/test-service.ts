import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { BUNDLED } from '../../src/bin/bundled.ts';
import { openService, type Service, type ServiceOptions } from '../../src/bin/open-service.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { createLog } from '../../src/platform/base/log.ts';

/** A scratch folder that `dispose` removes. */
export async function scratchFolder(): Promise<{ path: string; dispose: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'proctor-test-'));
  return { path, dispose: () => rm(path, { recursive: true, force: true }) };
}

/** A data folder with an embedded database that has the schema already. */
export async function scratchDataFolder(): Promise<{ path: string; dispose: () => Promise<void> }> {
  const scratch = await scratchFolder();
  await mkdir(join(scratch.path, 'database'), { recursive: true });
  await cp(inject('templateDatabase'), join(scratch.path, 'database'), { recursive: true });
  return scratch;
}

/** The configuration of tests over a data folder. */
export function testConfig(dataFolder: string, environment: NodeJS.ProcessEnv = {}): Config {
  return readConfig({ PROCTOR_DATA_DIR: dataFolder, PROCTOR_LOG_LEVEL: 'silent', ...environment }, BUNDLED);
}

/** A whole service on a scratch data folder. */
export async function testService(
  environment: NodeJS.ProcessEnv = {},
  options: ServiceOptions = {},
): Promise<{ service: Service; config: Config; dispose: () => Promise<void> }> {
  const scratch = await scratchDataFolder();
  const config = testConfig(scratch.path, environment);
  const service = await openService(config, createLog(config.logLevel), options);
  return {
    service,
    config,
    async dispose() {
      await service.close();
      await scratch.dispose();
    },
  };
}
