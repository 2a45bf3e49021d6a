import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, inject, test } from 'vitest';
import { type PostgresServer, startPostgres } from './postgres-server.ts';
import { scratchFolder } from './test-service.ts';

/** Where a database is. */
export type Where = { readonly url: string } | { readonly folder: string };

/**
 * Runs a contract over the embedded database and over a server of the test file's own; without PostgreSQL the second is
 * skipped, with the reason. Call once in a test file; gives the server, or null.
 */
export async function onBothDatabases(contract: (name: string, where: Where) => void): Promise<PostgresServer | null> {
  const scratch = await scratchFolder();
  const postgres = await startPostgres();
  afterAll(async () => {
    await postgres?.dispose();
    await scratch.dispose();
  });
  const folder = join(scratch.path, 'embedded');
  await mkdir(folder);
  await cp(inject('templateDatabase'), folder, { recursive: true });
  contract('embedded (PGlite)', { folder });
  if (postgres !== null) contract('server (PostgreSQL)', { url: postgres.url });
  else
    test.skip('server (PostgreSQL): not tried, PostgreSQL is not installed; run scripts/setup.sh --server', () =>
      undefined);
  return postgres;
}
