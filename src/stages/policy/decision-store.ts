import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { asStored, jsonParameter, type Queryable, type RawRow } from '../../platform/db/database.ts';
import { type DecisionContext, decisionContextSchema } from './context.ts';
import { openStoredPolicy } from './load-policy.ts';
import { type DecisionBody, type DecisionRow, decisionRowSchema } from './policy.ts';
import type { Policy } from './policy-file.ts';

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
  const policy = openStoredPolicy(String(row.source));
  if (policy.digest === row.digest) return policy;
  throw new ProctorError('digest-mismatch', `the stored policy ${row.digest} is not what was stored`);
}

/** A decision that is to be stored, with what it rests on. */
export interface NewDecision {
  readonly verdictId: string;
  readonly policyDigest: string;
  readonly body: DecisionBody;
  /** Left out where no policy decided, as for a person's ruling. */
  readonly context?: DecisionContext;
}

/** Appends the decision on a verdict; the first one stays and is given back. */
export async function saveDecision(database: Queryable, decision: NewDecision): Promise<DecisionRow> {
  const body = asStored(decision.body);
  const context = decision.context === undefined ? null : asStored(decision.context);
  const [added] = await database.query(
    `INSERT INTO decisions (id, verdict_id, policy_digest, body, digest, context, context_digest)
     VALUES ($1, $2, $3, $4::jsonb, $5, $6::jsonb, $7) ON CONFLICT (verdict_id) DO NOTHING RETURNING ${COLUMNS}`,
    [
      ...[newId('dec'), decision.verdictId, decision.policyDigest, jsonParameter(body), digestOfJson(body)],
      ...(context === null ? [null, null] : [jsonParameter(context), digestOfJson(context)]),
    ],
  );
  return decisionRowSchema.parse(added ?? (await findDecision(database, decision.verdictId)));
}

/** What a decision rests on; null for one that was made before contexts were stored. `not-found`, `digest-mismatch`. */
export async function findDecisionContext(database: Queryable, decisionId: string): Promise<DecisionContext | null> {
  const [row] = await database.query(
    'SELECT id, context, context_digest AS "contextDigest" FROM decisions WHERE id = $1',
    [decisionId],
  );
  if (row === undefined) throw new ProctorError('not-found', `no decision ${decisionId} is stored`);
  return readContext(row);
}

/** A stored decision as it is replayed. */
export interface StoredDecision extends DecisionRow {
  readonly context: DecisionContext | null;
}

/** Decisions whose ids come after one, in order of their ids, which is the order of their making. `digest-mismatch`. */
export async function pageDecisions(
  database: Queryable,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly StoredDecision[]> {
  const rows = await database.query(
    `SELECT ${COLUMNS}, context, context_digest AS "contextDigest" FROM decisions WHERE id > $1 ORDER BY id LIMIT $2`,
    [after, limit],
  );
  return rows.map((row) => ({ ...decisionRowSchema.parse(row), context: readContext(row) }));
}

/** A decision by its own id or by its verdict's. `not-found`, `digest-mismatch`. */
export async function findDecisionOf(database: Queryable, id: string): Promise<DecisionRow> {
  const [row] = id.startsWith('dec_')
    ? await database.query('SELECT verdict_id AS "verdictId" FROM decisions WHERE id = $1', [id])
    : [{ verdictId: id }];
  const found = row === undefined ? null : await findDecision(database, String(row.verdictId));
  if (found !== null) return found;
  throw new ProctorError(
    'not-found',
    `no decision on ${JSON.stringify(id)} is stored; give the id of a decision or verdict`,
  );
}

/** The context of a raw row with `id`, `context` and `contextDigest`; null when it has none. `digest-mismatch`. */
function readContext({ id, context, contextDigest }: RawRow): DecisionContext | null {
  if (context === null) return null;
  if (digestOfJson(context) === contextDigest) return decisionContextSchema.parse(context);
  throw new ProctorError('digest-mismatch', `the stored context of decision ${id} is not what was stored`);
}

/** The decision on a verdict, or null. */
export async function findDecision(database: Queryable, verdictId: string): Promise<DecisionRow | null> {
  const [row] = await database.query(`SELECT ${COLUMNS} FROM decisions WHERE verdict_id = $1`, [verdictId]);
  if (row === undefined) return null;
  const decision = decisionRowSchema.parse(row);
  if (digestOfJson(decision.body) === row.digest) return decision;
  throw new ProctorError('digest-mismatch', `the stored decision ${decision.id} is not what was stored`);
}
