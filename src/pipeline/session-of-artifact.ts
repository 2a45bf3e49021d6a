import type { Queryable } from '../platform/db/database.ts';
import { findHandInKey } from '../stages/artifact/artifact-store.ts';
import { sessionOfKey } from './hand-in-key.ts';

/** The session that handed an artifact in; null when none did. */
export async function sessionOfArtifact(database: Queryable, artifactId: string): Promise<string | null> {
  const key = await findHandInKey(database, artifactId);
  return key === null ? null : sessionOfKey(key);
}
