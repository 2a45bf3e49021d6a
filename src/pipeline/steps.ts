import { findArtifact } from '../stages/artifact/artifact-store.ts';
import { appendEvidence } from '../stages/evidence/evidence-store.ts';
import { sealEvidence } from '../stages/evidence/seal-evidence.ts';
import { gradeArtifact } from '../stages/grade/grade-artifact.ts';
import { findLatestGrade, saveGrade } from '../stages/grade/grade-store.ts';
import { lockSnapshot } from '../stages/instance/instance-store.ts';
import { findDecision } from '../stages/policy/decision-store.ts';
import { issueReward } from '../stages/reward/issue-reward.ts';
import { saveReward } from '../stages/reward/reward-store.ts';
import { savePrint } from '../stages/signal/print-store.ts';
import { DETECTORS, readForScreening, screen } from '../stages/signal/screen-artifact.ts';
import { printOf } from '../stages/signal/screen-input.ts';
import { findScreening, saveScreening } from '../stages/signal/screening-store.ts';
import { judge } from '../stages/verdict/judge.ts';
import { findLatestVerdict, saveVerdict } from '../stages/verdict/verdict-store.ts';
import { decideVerdict } from './decide-verdict.ts';
import type { JobParts } from './job-parts.ts';
import { openCase } from './open-case.ts';
import { opinionStep } from './opinion-step.ts';
import { profileStep } from './profile-step.ts';
import { traceOf } from './session-trace-of.ts';
import type { StepName } from './step-name.ts';

interface Step {
  /** Works on one hand-in, by its id. May be run again at any time: what is done already stays as it is. */
  readonly run: (parts: JobParts, artifactId: string) => Promise<void>;
  readonly next: readonly StepName[];
}

/** The order of work, and the only place that knows it. */
export const STEPS = {
  screen: { run: screenStep, next: ['grade'] },
  grade: { run: gradeStep, next: ['judge'] },
  judge: { run: judgeStep, next: ['profile'] },
  profile: { run: profileStep, next: ['opinion'] },
  opinion: { run: opinionStep, next: ['decide'] },
  decide: { run: decideStep, next: ['reward'] },
  reward: { run: rewardStep, next: [] },
} as const satisfies Record<StepName, Step>;

/** Where the work on a new hand-in begins. */
export const FIRST_STEP: StepName = 'screen';

async function screenStep(parts: JobParts, artifactId: string): Promise<void> {
  const { database, blobs } = parts;
  if ((await findScreening(database, artifactId)) !== null) return;
  const { artifact, given, task } = await parts.submission();
  const sessionId = await parts.session();
  const session = sessionId === null ? null : await traceOf(database, sessionId);
  const settings = task.definition.proctor;
  const input = await readForScreening(artifact, { instance: given, settings, session }, blobs);
  const print = printOf(input);
  const { taskDigest, digest: instanceDigest } = given;
  const twins = print === null ? [] : await savePrint(database, { artifactId, taskDigest, instanceDigest, print });
  await saveScreening(database, screen(DETECTORS, artifactId, { ...input, twins }));
}

async function gradeStep(parts: JobParts, artifactId: string): Promise<void> {
  if ((await findLatestGrade(parts.database, artifactId)) !== null) return;
  const submission = await parts.submission();
  const body = await gradeArtifact(parts, submission);
  const { snapshot } = body.inputs;
  parts.made.grade = await parts.claim.store(async (transaction) => {
    const isFirst = submission.snapshot === undefined && snapshot?.pinned === true;
    if (isFirst) await lockSnapshot(transaction, submission.instance.id, snapshot.digest);
    return saveGrade(transaction, { artifactId, round: 1, body });
  });
}

async function judgeStep(parts: JobParts, artifactId: string): Promise<void> {
  const { database, sealer, claim } = parts;
  const grade = parts.made.grade ?? (await findLatestGrade(database, artifactId));
  if (grade === null) return; // the sweep sends the grade step first
  // what was not graded may have no readable task
  const submission = grade.body.kind === 'ungraded' ? null : await parts.submission();
  const artifact = submission?.artifact ?? (await findArtifact(database, artifactId));
  const screening = await findScreening(database, artifactId);
  const scoring = submission?.task.definition.proctor.scoring ?? 'all';
  const body = judge({ artifact, grade, screening, scoring });
  parts.made.verdict = await claim.store(async (transaction) => {
    const verdict = await saveVerdict(transaction, { artifactId, gradeId: grade.id, body });
    await appendEvidence(transaction, verdict.id, (place) =>
      sealEvidence(sealer, { artifact, grade, verdict, place, createdAt: new Date() }),
    );
    return verdict;
  });
}

async function decideStep(parts: JobParts, artifactId: string): Promise<void> {
  const { database, made } = parts;
  const verdict = made.verdict ?? (await findLatestVerdict(database, artifactId));
  if (verdict === null) return;
  // the law masks what was not graded under any policy
  const task = verdict.body.outcome === 'ungraded' ? null : (await parts.submission()).task;
  made.decision = await decideVerdict(parts, {
    ...{ verdict, task, grade: made.grade, sessionId: await parts.session(), profile: made.profile },
  });
}

async function rewardStep({ database, made }: JobParts, artifactId: string): Promise<void> {
  const verdict = made.verdict ?? (await findLatestVerdict(database, artifactId));
  const decision = verdict === null ? null : (made.decision ?? (await findDecision(database, verdict.id)));
  if (verdict === null || decision === null) return;
  const body = issueReward(verdict.body, decision.body);
  await database.transaction(async (transaction) => {
    await saveReward(transaction, { artifactId, decisionId: decision.id, body });
    await openCase(transaction, { verdict, decision });
  });
}
