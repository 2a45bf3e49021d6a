import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { asStored, jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { NO_LABELS, type RunLabels } from '../run/run.ts';
import { ensureRun } from '../run/run-store.ts';
import { type ArtifactRow, artifactRowSchema, type Manifest } from './artifact.ts';

const COLUMNS = 'id, instance_id AS "instanceId", manifest, digest, created_at AS "createdAt"';

/**
 * Appends a hand-in, which is due from the same moment. With an idempotency key that was used before, the earlier row is given
 * back; when that one was for another instance or other files, `conflict`.
 */
export async function saveArtifact(
  database: Queryable,
  handIn: { instanceId: string; manifest: Manifest; idempotencyKey: string | null; labels?: RunLabels },
): Promise<ArtifactRow> {
  const { labels = NO_LABELS } = handIn;
  await ensureRun(database, labels);
  const manifest = asStored(handIn.manifest);
  const digest = digestOfJson(manifest);
  const [row] = await database.query(
    `WITH added AS (
       INSERT INTO artifacts (id, instance_id, idempotency_key, manifest, digest, run_id, labels)
       VALUES ($1, $2, $3, $4::jsonb, $5, $6, $7::jsonb)
       ON CONFLICT (idempotency_key) DO NOTHING RETURNING *
     ), due AS (INSERT INTO work (artifact_id) SELECT id FROM added)
     SELECT ${COLUMNS} FROM added`,
    [
      ...[newId('sub'), handIn.instanceId, handIn.idempotencyKey, jsonParameter(manifest), digest],
      ...[labels.run, jsonParameter(labels)],
    ],
  );
  if (row !== undefined) return artifactRowSchema.parse(row);
  const [earlier] = await database.query(`SELECT ${COLUMNS} FROM artifacts WHERE idempotency_key = $1`, [
    handIn.idempotencyKey,
  ]);
  const known = artifactRowSchema.parse(earlier);
  if (known.instanceId === handIn.instanceId && known.digest === digest) return known;
  throw new ProctorError('conflict', 'this idempotency key was used for another hand-in', { submissionId: known.id });
}

/** The id of what was handed in with an idempotency key, or null. */
export async function findHandedIn(database: Queryable, idempotencyKey: string): Promise<string | null> {
  const [row] = await database.query('SELECT id FROM artifacts WHERE idempotency_key = $1', [idempotencyKey]);
  return typeof row?.id === 'string' ? row.id : null;
}

/** How many hand-ins there are for an instance, counted up to `most`. */
export async function countHandIns(database: Queryable, instanceId: string, most: number): Promise<number> {
  const [row] = await database.query(
    'SELECT count(*)::int AS handed FROM (SELECT 1 FROM artifacts WHERE instance_id = $1 LIMIT $2) AS counted',
    [instanceId, most],
  );
  return Number(row?.handed ?? 0);
}

/** The idempotency key under which an artifact was handed in, or null. */
export async function findHandInKey(database: Queryable, id: string): Promise<string | null> {
  const [row] = await database.query('SELECT idempotency_key AS key FROM artifacts WHERE id = $1', [id]);
  return typeof row?.key === 'string' ? row.key : null;
}

/** A hand-in by id, its manifest compared with its digest. `not-found`, `digest-mismatch`. */
export async function findArtifact(database: Queryable, id: string): Promise<ArtifactRow> {
  const [row] = await database.query(`SELECT ${COLUMNS} FROM artifacts WHERE id = $1`, [id]);
  if (row === undefined) throw new ProctorError('not-found', `no submission ${JSON.stringify(id)}`);
  const artifact = artifactRowSchema.parse(row);
  if (digestOfJson(artifact.manifest) === artifact.digest) return artifact;
  throw new ProctorError('digest-mismatch', `the stored manifest of ${id} is not what was stored`, { id });
}
