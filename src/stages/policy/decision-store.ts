import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { asStored, jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { parsePolicy } from './load-policy.ts';
import { type DecisionBody, type DecisionRow, decisionRowSchema, type Policy } from './policy.ts';

const COLUMNS = 'id, verdict_id AS "verdictId", policy_digest AS "policyDigest", body, digest';

/** Digests of the policies that this process knows to be stored: they are never removed. */
const saved = new WeakMap<Queryable, Set<string>>();

/** Keeps a policy's text by digest, that decisions can be derived again. */
export async function savePolicy(database: Queryable, policy: Policy): Promise<void> {
  if (saved.get(database)?.has(policy.digest)) return;
  await database.query(
    'INSERT INTO policies (digest, name, source) VALUES ($1, $2, $3) ON CONFLICT (digest) DO NOTHING',
    [policy.digest, policy.rules.id, policy.source],
  );
  saved.set(database, (saved.get(database) ?? new Set<string>()).add(policy.digest));
}

/** The policy that a decision was made by, from its stored text. `not-found`, `digest-mismatch`, `policy-invalid`. */
export async function findDecisionPolicy(database: Queryable, decisionId: string): Promise<Policy> {
  const [row] = await database.query(
    'SELECT p.digest, p.source FROM decisions d JOIN policies p ON p.digest = d.policy_digest WHERE d.id = $1',
    [decisionId],
  );
  if (row === undefined) throw new ProctorError('not-found', `no decision ${decisionId} is stored`);
  const policy = parsePolicy(String(row.source), 'stored policy');
  if (policy.digest === row.digest) return policy;
  throw new ProctorError('digest-mismatch', `the stored policy ${row.digest} is not what was stored`);
}

/** Appends the decision on a verdict; the first one stays and is given back. */
export async function saveDecision(
  database: Queryable,
  decision: { verdictId: string; policyDigest: string; body: DecisionBody },
): Promise<DecisionRow> {
  const body = asStored(decision.body);
  const [added] = await database.query(
    `INSERT INTO decisions (id, verdict_id, policy_digest, body, digest) VALUES ($1, $2, $3, $4::jsonb, $5)
     ON CONFLICT (verdict_id) DO NOTHING RETURNING ${COLUMNS}`,
    [newId('dec'), decision.verdictId, decision.policyDigest, jsonParameter(body), digestOfJson(body)],
  );
  return decisionRowSchema.parse(added ?? (await findDecision(database, decision.verdictId)));
}

/** The decision on a verdict, or null. */
export async function findDecision(database: Queryable, verdictId: string): Promise<DecisionRow | null> {
  const [row] = await database.query(`SELECT ${COLUMNS} FROM decisions WHERE verdict_id = $1`, [verdictId]);
  if (row === undefined) return null;
  const decision = decisionRowSchema.parse(row);
  if (digestOfJson(decision.body) === row.digest) return decision;
  throw new ProctorError('digest-mismatch', `the stored decision ${decision.id} is not what was stored`);
}
