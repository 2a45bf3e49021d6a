import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { asStored, jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { type OpinionBody, opinionBodySchema } from './opinion.ts';

/** Appends what a judge said of a hand-in's session; the first opinion stays. */
export async function saveOpinion(database: Queryable, artifactId: string, given: OpinionBody): Promise<void> {
  const body = asStored(given);
  await database.query(
    `INSERT INTO opinions (artifact_id, body, digest) VALUES ($1, $2::jsonb, $3) ON CONFLICT (artifact_id) DO NOTHING`,
    [artifactId, jsonParameter(body), digestOfJson(body)],
  );
}

/** What a judge said of a hand-in's session; null: none was asked. `digest-mismatch`. */
export async function findOpinion(database: Queryable, artifactId: string): Promise<OpinionBody | null> {
  const [row] = await database.query('SELECT body, digest FROM opinions WHERE artifact_id = $1', [artifactId]);
  if (row === undefined) return null;
  const body = opinionBodySchema.parse(row.body);
  if (digestOfJson(body) === row.digest) return body;
  throw new ProctorError('digest-mismatch', `the stored opinion on ${artifactId} is not what was stored`);
}

/** Opinions that were asked for in the last hour, by all processes. */
export async function countLately(database: Queryable): Promise<number> {
  const [row] = await database.query(
    `SELECT count(*)::int AS asked FROM opinions WHERE created_at > now() - interval '1 hour'`,
  );
  return Number(row?.asked);
}
