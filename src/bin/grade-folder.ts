import { awaitReward } from '../pipeline/await-reward.ts';
import { submit } from '../pipeline/submit.ts';
import type { GradeBody } from '../stages/grade/grade.ts';
import { findGrade } from '../stages/grade/grade-store.ts';
import type { Instance } from '../stages/instance/instance.ts';
import { saveInstance } from '../stages/instance/instance-store.ts';
import type { RewardRow } from '../stages/reward/reward.ts';
import type { VerdictRow } from '../stages/verdict/verdict.ts';
import { findVerdict } from '../stages/verdict/verdict-store.ts';
import type { Service } from './open-service.ts';

/** What came of a hand-in. */
export interface Graded {
  readonly reward: RewardRow;
  readonly verdict: VerdictRow;
  readonly grade: GradeBody;
}

/** Hands a folder in for an instance of a stored task, and waits for what comes of it. */
export async function gradeFolder({ parts, pipeline }: Service, instance: Instance, folder: string): Promise<Graded> {
  const { id: instanceId } = await saveInstance(parts.database, instance);
  const { id } = await submit(parts, pipeline, { instanceId, handIn: { folder } });
  const reward = await awaitReward(parts.database, id);
  const verdict = await findVerdict(parts.database, reward.verdictId);
  const { body: grade } = await findGrade(parts.database, verdict.gradeId);
  return { reward, verdict, grade };
}
