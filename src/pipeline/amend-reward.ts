import { ProctorError } from '../platform/base/errors.ts';
import type { Queryable } from '../platform/db/database.ts';
import { findArtifact } from '../stages/artifact/artifact-store.ts';
import { appendEvidence } from '../stages/evidence/evidence-store.ts';
import { type Sealer, sealEvidence } from '../stages/evidence/seal-evidence.ts';
import { findGrade } from '../stages/grade/grade-store.ts';
import { findDecision, findDecisionPolicy, saveDecision } from '../stages/policy/decision-store.ts';
import type { DecisionBody, DecisionRow } from '../stages/policy/policy.ts';
import type { Policy } from '../stages/policy/policy-file.ts';
import { decideRuling } from '../stages/review/decide-ruling.ts';
import type { Amended, Ruling, RulingRow } from '../stages/review/review.ts';
import { issueReward } from '../stages/reward/issue-reward.ts';
import { findLatestReward, saveReward } from '../stages/reward/reward-store.ts';
import { queueRewardEvent } from '../stages/reward/webhook-store.ts';
import type { VerdictBody, VerdictRow } from '../stages/verdict/verdict.ts';
import { saveAmendedVerdict } from '../stages/verdict/verdict-store.ts';

/** A decision that is to be stored, by a policy that is. */
type NewDecision = Pick<DecisionRow, 'policyDigest' | 'body'>;

/** What a ruling makes of a verdict, before it is stored. */
export interface Amendment {
  readonly before: VerdictRow;
  readonly ruling: RulingRow;
  readonly body: VerdictBody;
  readonly decision: NewDecision;
  readonly runId: string | null;
}

/** What the policy that decided before makes of an amended verdict. `digest-mismatch`. */
export async function decideAgain(
  transaction: Queryable,
  given: { readonly before: VerdictRow; readonly ruling: Exclude<Ruling, 'unsure'>; readonly amended: VerdictBody },
): Promise<NewDecision> {
  const before = await decisionOn(transaction, given.before);
  const policy = given.ruling === 'cheat' ? await policyOf(transaction, before) : null;
  const body: DecisionBody = decideRuling(given.ruling, given.amended, policy?.rules ?? null);
  return { policyDigest: before.policyDigest, body };
}

/** The decision on a verdict. `conflict` while there is none: nothing can be amended yet. */
export async function decisionOn(database: Queryable, { id }: Pick<VerdictRow, 'id'>): Promise<DecisionRow> {
  const decision = await findDecision(database, id);
  if (decision !== null) return decision;
  throw new ProctorError('conflict', `nothing is decided on ${id} yet; try again when its reward is there`);
}

/** A policy that this version cannot read any more says nothing of cheats. */
async function policyOf(database: Queryable, { id }: DecisionRow): Promise<Policy | null> {
  return findDecisionPolicy(database, id).catch((thrown) => {
    if (thrown instanceof ProctorError && thrown.code === 'policy-invalid') return null;
    throw thrown;
  });
}

/** Stores an amended verdict with all that follows from it: its evidence, the decision and the reward. */
export async function storeAmendment(transaction: Queryable, sealer: Sealer, amendment: Amendment): Promise<Amended> {
  const { before, ruling, body, decision, runId } = amendment;
  const { artifactId } = before;
  const [artifact, grade] = [await findArtifact(transaction, artifactId), await findGrade(transaction, before.gradeId)];
  const verdict = await saveAmendedVerdict(transaction, { before, rulingId: ruling.id, body });
  await appendEvidence(transaction, verdict.id, (place) =>
    sealEvidence(sealer, { artifact, grade, verdict, place, createdAt: new Date() }),
  );
  const { id: decisionId } = await saveDecision(transaction, { ...decision, verdictId: verdict.id });
  await saveReward(transaction, { artifactId, decisionId, body: issueReward(body, decision.body) });
  await queueRewardEvent(transaction, { artifactId });
  const reward = await findLatestReward(transaction, artifactId);
  if (reward?.verdictId === verdict.id) return { verdictId: verdict.id, rewardId: reward.id, artifactId, runId };
  throw new ProctorError('conflict', `${artifactId} was graded anew since; look at the newest verdict`);
}
