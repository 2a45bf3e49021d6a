import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { asStored, jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { STANDS } from '../verdict/verdict-store.ts';
import { type RewardBody, type RewardRow, rewardRowSchema } from './reward.ts';
import { rewardMessages } from './webhook-store.ts';

/** Appends the reward of a decision and tells webhooks of the first of a hand-in, in one statement; what is stored for a decision stays. */
export async function saveReward(
  database: Queryable,
  reward: { artifactId: string; decisionId: string; body: RewardBody },
): Promise<void> {
  const body = asStored(reward.body);
  await database.query(
    `WITH saved AS (
       INSERT INTO rewards (id, artifact_id, decision_id, body, digest) VALUES ($1, $2, $3, $4::jsonb, $5)
       ON CONFLICT (decision_id) DO NOTHING RETURNING artifact_id
     ), first AS (
       SELECT artifact_id FROM saved WHERE NOT EXISTS (SELECT 1 FROM rewards r WHERE r.artifact_id = saved.artifact_id)
     )
     ${rewardMessages('first', "'reward.final'::text")}`,
    [newId('rew'), reward.artifactId, reward.decisionId, jsonParameter(body), digestOfJson(body)],
  );
}

/** The reward of the verdict that stands on the newest graded round of a hand-in, with that verdict's id; null while there is none. */
export async function findLatestReward(database: Queryable, artifactId: string): Promise<RewardRow | null> {
  const [row] = await database.query(
    `SELECT r.id, r.artifact_id AS "artifactId", r.decision_id AS "decisionId", d.verdict_id AS "verdictId",
            r.body, r.digest, v.body->'cases' AS cases, r.created_at AS "createdAt"
     FROM rewards r JOIN decisions d ON d.id = r.decision_id JOIN verdicts v ON v.id = d.verdict_id
     JOIN grades g ON g.id = v.grade_id WHERE r.artifact_id = $1 AND ${STANDS} ORDER BY g.round DESC LIMIT 1`,
    [artifactId],
  );
  if (row === undefined) return null;
  const reward = rewardRowSchema.parse(row);
  if (digestOfJson(reward.body) === row.digest) return reward;
  throw new ProctorError('digest-mismatch', `the stored reward ${reward.id} is not what was stored`);
}

/** Which of these hand-ins have a reward. */
export async function findRewarded(database: Queryable, artifactIds: readonly string[]): Promise<readonly string[]> {
  const rows = await database.query(
    'SELECT DISTINCT artifact_id AS id FROM rewards WHERE artifact_id = ANY($1::text[])',
    [[...artifactIds]],
  );
  return rows.map((row) => String(row.id));
}
