import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { asStored, jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { type ProfileBody, type ProfileRow, profileRowSchema } from './profile.ts';
import { SCORE_VERSION } from './reference.ts';
import { GATE_WINDOW } from './weight.ts';

const COLUMNS = 'id, session_id AS "sessionId", artifact_id AS "artifactId", body, digest, created_at AS "createdAt"';

/** Appends the profile of a session against one reference; the first one stays and is given back. */
export async function saveProfile(
  database: Queryable,
  profile: { readonly sessionId: string; readonly artifactId: string | null; readonly body: ProfileBody },
): Promise<ProfileRow> {
  const body = asStored(profile.body);
  const { sessionId, artifactId } = profile;
  const reference = body.reference?.digest ?? '';
  const [added] = await database.query(
    `INSERT INTO profiles (id, session_id, artifact_id, cohort, score_version, reference, p, body, digest)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9)
     ON CONFLICT (session_id, reference, score_version) DO NOTHING RETURNING ${COLUMNS}`,
    [
      ...[newId('prof'), sessionId, artifactId, body.cohort, SCORE_VERSION, reference, body.p],
      ...[jsonParameter(body), digestOfJson(body)],
    ],
  );
  if (added !== undefined) return readRow(added);
  const [known] = await database.query(
    `SELECT ${COLUMNS} FROM profiles WHERE session_id = $1 AND reference = $2 AND score_version = $3`,
    [sessionId, reference, SCORE_VERSION],
  );
  return readRow(known ?? {});
}

/** The newest profile of the session that handed an artifact in; null: none. `digest-mismatch`. */
export async function findLatestProfile(database: Queryable, artifactId: string): Promise<ProfileRow | null> {
  const [row] = await database.query(
    `SELECT ${COLUMNS} FROM profiles WHERE artifact_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`,
    [artifactId],
  );
  return row === undefined ? null : readRow(row);
}

/** The newest profile of a session; `not-found` when it has none. */
export async function findSessionProfile(database: Queryable, sessionId: string): Promise<ProfileRow> {
  const [row] = await database.query(
    `SELECT ${COLUMNS} FROM profiles WHERE session_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`,
    [sessionId],
  );
  if (row !== undefined) return readRow(row);
  throw new ProctorError(
    'not-found',
    `session ${JSON.stringify(sessionId)} has no profile; one that has ended gets one by: proctor profile backfill TASK`,
  );
}

/** Newest profiles of other sessions that hand-ins of the same group in the same run came from, at most `limit`. */
export async function listGroupProfiles(
  database: Queryable,
  place: { readonly run: string; readonly group: string; readonly exceptSession: string; readonly limit: number },
): Promise<readonly ProfileRow[]> {
  const rows = await database.query(
    `SELECT DISTINCT ON (p.session_id) p.id, p.session_id AS "sessionId", p.artifact_id AS "artifactId", p.body, p.digest,
            p.created_at AS "createdAt"
     FROM artifacts a JOIN profiles p ON p.artifact_id = a.id
     WHERE a.run_id = $1 AND a.labels->>'group' = $2 AND p.session_id <> $3
     ORDER BY p.session_id, p.created_at DESC LIMIT $4`,
    [place.run, place.group, place.exceptSession, place.limit],
  );
  return rows.map(readRow);
}

/** The newest p-values of a cohort against one reference, oldest first: what the gate looks at. */
export async function listRecentP(database: Queryable, cohort: string, reference: string): Promise<readonly number[]> {
  const rows = await database.query(
    `SELECT p FROM profiles WHERE cohort = $1 AND reference = $2 AND p IS NOT NULL ORDER BY created_at DESC LIMIT $3`,
    [cohort, reference, GATE_WINDOW],
  );
  return rows.map(({ p }) => Number(p)).reverse();
}

function readRow(row: Record<string, unknown>): ProfileRow {
  const profile = profileRowSchema.parse(row);
  if (digestOfJson(profile.body) === profile.digest) return profile;
  throw new ProctorError('digest-mismatch', `the stored profile ${profile.id} is not what was stored`);
}
