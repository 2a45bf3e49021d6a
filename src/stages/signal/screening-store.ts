import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { type Screening, screeningSchema } from './signal.ts';

/** Appends a screening; the first one of an artifact stays. */
export async function saveScreening(database: Queryable, screening: Screening): Promise<void> {
  await database.query(
    `INSERT INTO screenings (artifact_id, detectors, signals, digest) VALUES ($1, $2::jsonb, $3::jsonb, $4)
     ON CONFLICT (artifact_id) DO NOTHING`,
    [screening.artifactId, jsonParameter(screening.detectors), jsonParameter(screening.signals), screening.digest],
  );
}

/** The screening of a hand-in, or null while there is none. */
export async function findScreening(database: Queryable, artifactId: string): Promise<Screening | null> {
  const [row] = await database.query(
    'SELECT artifact_id AS "artifactId", detectors, signals, digest FROM screenings WHERE artifact_id = $1',
    [artifactId],
  );
  if (row === undefined) return null;
  const screening = screeningSchema.parse(row);
  const { detectors, signals } = screening;
  if (digestOfJson({ detectors, signals }) === screening.digest) return screening;
  throw new ProctorError('digest-mismatch', `the stored screening of ${artifactId} is not what was stored`);
}
