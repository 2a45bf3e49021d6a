import { ProctorError } from '../platform/base/errors.ts';
import type { MeasuredGrade } from '../stages/grade/grade.ts';
import { chargedGrade, type GradeParts, type GradeRequest, gradeArtifact } from '../stages/grade/grade-artifact.ts';
import { MAX_TRIES } from './retry.ts';

/**
 * The failing grade of a hand-in whose last try ended in `error`, when the hand-in is to blame: it failed once its code had
 * begun to run, while an empty hand-in for the same task is graded to its end on the same machine. Else null.
 */
export async function chargeIfToBlame(
  parts: GradeParts,
  request: GradeRequest,
  error: ProctorError,
): Promise<MeasuredGrade | null> {
  const suspect = error.details.phase === 'candidate' && (error.fault === 'platform' || error.fault === 'defect');
  return suspect && (await controlWorks(parts, request)) ? chargedGrade(parts, request, error) : null;
}

/** Grades at once, as the pipeline would over all its tries: for regrading. */
export async function gradeOrCharge(parts: GradeParts, request: GradeRequest): Promise<MeasuredGrade> {
  for (let tries = 1; ; tries++) {
    try {
      return await gradeArtifact(parts, request);
    } catch (thrown) {
      if (!(thrown instanceof ProctorError)) throw thrown;
      if (thrown.details.phase === 'candidate' && tries < MAX_TRIES) continue;
      const charged = await chargeIfToBlame(parts, request, thrown);
      if (charged === null) throw thrown;
      return charged;
    }
  }
}

/** Whether an artifact of nothing, for the same task on the same machine, is graded to its end. */
async function controlWorks(parts: GradeParts, request: GradeRequest): Promise<boolean> {
  const manifest = { ...request.artifact.manifest, files: [], leftBehind: [], counts: {}, refusal: null };
  try {
    await gradeArtifact(parts, { ...request, artifact: { ...request.artifact, manifest } });
    return true;
  } catch {
    return false;
  }
}
