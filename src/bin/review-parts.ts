import type { ReviewParts } from '../pipeline/rule-case.ts';
import { newId } from '../platform/base/ids.ts';
import { createLog } from '../platform/base/log.ts';
import { openDatabase } from '../platform/db/open-database.ts';
import { openSigningKey } from '../stages/evidence/signing-key.ts';
import { programVersion } from './program-version.ts';
import { loadConfig } from './with-service.ts';

/** Runs `use` with the configured database and the key that signs evidence: nothing is graded, and no sandbox is needed. `invalid-config` where the key is not. */
export async function withReviewParts(use: (parts: ReviewParts) => Promise<void>): Promise<void> {
  const config = loadConfig();
  const key = await openSigningKey({ ...config.signingKey, make: false }, createLog('error'));
  const database = await openDatabase(config.database);
  try {
    const service = { name: 'proctor', version: programVersion(), driver: 'none', worker: newId('wrk') };
    await use({ database, sealer: { key, service } });
  } finally {
    await database.close();
  }
}
