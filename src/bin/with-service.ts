import { existsSync } from 'node:fs';
import type { Config } from '../config.ts';
import { readConfig } from '../config.ts';
import type { SessionHost } from '../pipeline/session-host.ts';
import { ProctorError } from '../platform/base/errors.ts';
import { createLog } from '../platform/base/log.ts';
import type { Database } from '../platform/db/database.ts';
import { openDatabase } from '../platform/db/open-database.ts';
import { BUNDLED } from './bundled.ts';
import { refuseUnusable } from './open-driver.ts';
import { openService, type Service, type ServiceOptions } from './open-service.ts';

/** The configuration of this process: `.env` of the working folder, below what the environment says itself. */
export function loadConfig(overrides: NodeJS.ProcessEnv = {}): Config {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readConfig({ ...process.env, ...overrides }, BUNDLED);
}

/** Runs `use` with the configured database alone: nothing is graded meanwhile. */
export async function withDatabase(use: (database: Database) => Promise<void>): Promise<void> {
  const database = await openDatabase(loadConfig().database);
  try {
    await use(database);
  } finally {
    await database.close();
  }
}

/** Runs `use` with a service that is closed again whatever happens. Commands log warnings and worse only. */
export async function withService<T>(
  use: (service: Service) => Promise<T>,
  overrides: NodeJS.ProcessEnv = {},
  options: ServiceOptions = {},
): Promise<T> {
  const config = loadConfig({ PROCTOR_LOG_LEVEL: process.env.PROCTOR_LOG_LEVEL ?? 'error', ...overrides });
  const service = await openService(config, createLog(config.logLevel), options);
  try {
    await refuseUnusable(service.parts.driver);
    return await use(service);
  } finally {
    await service.close();
  }
}

/** The workspaces of a service that was opened with them; `capability-missing` where this machine has none. */
export function sessionsOf({ sessions }: Service): SessionHost {
  if (sessions !== null) return sessions;
  throw new ProctorError(
    'capability-missing',
    'this machine has no workspaces: they need root, cgroups and strace; run proctor doctor',
  );
}
