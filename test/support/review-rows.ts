import { BUNDLED } from '../../src/bin/bundled.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { findArtifact } from '../../src/stages/artifact/artifact-store.ts';
import { appendEvidence } from '../../src/stages/evidence/evidence-store.ts';
import { type Sealer, sealEvidence } from '../../src/stages/evidence/seal-evidence.ts';
import { saveGrade } from '../../src/stages/grade/grade-store.ts';
import { saveDecision, savePolicy } from '../../src/stages/policy/decision-store.ts';
import { openPolicies } from '../../src/stages/policy/load-policy.ts';
import type { DecisionBody } from '../../src/stages/policy/policy.ts';
import { describeCase } from '../../src/stages/review/describe-case.ts';
import { saveCase } from '../../src/stages/review/review-store.ts';
import { issueReward } from '../../src/stages/reward/issue-reward.ts';
import { saveReward } from '../../src/stages/reward/reward-store.ts';
import type { VerdictBody } from '../../src/stages/verdict/verdict.ts';
import { saveVerdict } from '../../src/stages/verdict/verdict-store.ts';
import { MEASURED, storedHandIn, testSealer } from './evidence-rows.ts';

export const SUSPECT: DecisionBody = {
  ...{ action: 'accept', weight: 1, mask: false, flags: ['suspect'], review: 'always' },
  rules: [{ id: 'suspect-is-flagged', weight: 1 }],
};

/** What may differ from a passed and suspect hand-in that is flagged and reviewed. */
interface Differing {
  readonly verdict?: Partial<VerdictBody>;
  readonly decision?: Partial<DecisionBody>;
  readonly sealer?: Sealer;
}

/** A hand-in with everything up to its reward, and no case. Nothing of it was run. */
export async function rewardedHandIn(database: Database, differing: Differing = {}) {
  const artifactId = await storedHandIn(database);
  const artifact = await findArtifact(database, artifactId);
  const grade = await saveGrade(database, { artifactId, round: 1, body: MEASURED });
  const body: VerdictBody = {
    ...{ outcome: 'passed', integrity: 'suspect', assurance: 'oracle', fault: 'none', score: 1, pinned: true },
    ...{ cases: { passed: 2, total: 2 }, signals: [{ kind: 'hard-coded', severity: 'suspect' }], reason: null },
    basis: { artifact: artifact.digest, grade: grade.digest, screening: null },
    ...differing.verdict,
  };
  const verdict = await saveVerdict(database, { artifactId, gradeId: grade.id, body });
  await database.transaction((transaction) =>
    appendEvidence(transaction, verdict.id, (place) =>
      sealEvidence(differing.sealer ?? testSealer(), { artifact, grade, verdict, place, createdAt: new Date() }),
    ),
  );
  const policy = await openPolicies(BUNDLED.policyFolder).find('default');
  await savePolicy(database, policy);
  const decisionBody = { ...SUSPECT, ...differing.decision };
  const decision = await saveDecision(database, {
    ...{ verdictId: verdict.id, policyDigest: policy.digest, body: decisionBody },
  });
  await saveReward(database, { artifactId, decisionId: decision.id, body: issueReward(body, decisionBody) });
  return { artifactId, verdict, decision };
}

/** The same with its case; gives the id of that. */
export async function reviewable(database: Database, differing: Differing = {}) {
  const { artifactId, verdict, decision } = await rewardedHandIn(database, differing);
  const opened = describeCase({ verdict, decision, task: 'test/none' });
  if (opened === null) throw new Error('the decision asks nobody to look');
  const { id: caseId } = await database.transaction((transaction) => saveCase(transaction, opened));
  return { artifactId, verdict, decision, caseId };
}
