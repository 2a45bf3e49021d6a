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
  return row === undefined ? null : screeningSchema.parse(row);
}
