import { digestOfJson } from '../../platform/base/digest.ts';
import { newId } from '../../platform/base/ids.ts';
import { asStored, jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { type DecisionBody, type DecisionRow, decisionBodySchema, decisionRowSchema } from './policy.ts';

/** Appends what a candidate policy would have decided; the first one of a policy's text stays. No reward reads it. */
export async function saveShadow(
  database: Queryable,
  shadow: { readonly decisionId: string; readonly policyDigest: string; readonly body: DecisionBody },
): Promise<void> {
  const body = asStored(shadow.body);
  await database.query(
    `INSERT INTO shadow_decisions (id, decision_id, policy_digest, body, digest) VALUES ($1, $2, $3, $4::jsonb, $5)
     ON CONFLICT (decision_id, policy_digest) DO NOTHING`,
    [newId('shd'), shadow.decisionId, shadow.policyDigest, jsonParameter(body), digestOfJson(body)],
  );
}

/** A decision and what the candidate would have decided instead. */
export interface ShadowedDecision {
  readonly id: string;
  readonly live: DecisionRow;
  readonly shadow: DecisionBody;
  /** What the work earned, before any policy. */
  readonly score: number;
  readonly artifactId: string;
}

/** What a candidate policy (by name, in all its versions) would have decided, in the order of its making. */
export async function pageShadows(
  database: Queryable,
  { policy, after, limit }: { readonly policy: string; readonly after: string; readonly limit: number },
): Promise<readonly ShadowedDecision[]> {
  const rows = await database.query(
    `SELECT s.id AS "shadowId", s.body AS shadow, d.id, d.verdict_id AS "verdictId", d.policy_digest AS "policyDigest", d.body,
            v.artifact_id AS "artifactId", v.body->'score' AS score
     FROM shadow_decisions s JOIN policies p ON p.digest = s.policy_digest
     JOIN decisions d ON d.id = s.decision_id JOIN verdicts v ON v.id = d.verdict_id
     WHERE s.id > $1 AND p.name = $2 ORDER BY s.id LIMIT $3`,
    [after, policy, limit],
  );
  return rows.map((row) => ({
    id: String(row.shadowId),
    live: decisionRowSchema.parse(row),
    shadow: decisionBodySchema.parse(row.shadow),
    score: Number(row.score),
    artifactId: String(row.artifactId),
  }));
}
