import { ProctorError } from '../platform/base/errors.ts';
import type { SandboxLimits } from '../platform/sandbox/sandbox.ts';
import type { MeasuredGrade } from '../stages/grade/grade.ts';
import { chargedGrade, type GradeParts, type GradeRequest, gradeArtifact } from '../stages/grade/grade-artifact.ts';
import { MAX_TRIES } from './retry.ts';

const CONTROL_LIMITS: SandboxLimits = {
  wallMs: 10_000,
  cpuMs: 5_000,
  memoryBytes: 64 * 1024 ** 2,
  processes: 16,
  outputBytes: 65_536,
  fileBytes: 1024 ** 2,
  diskBytes: 1024 ** 2,
};

/**
 * The failing grade of a hand-in whose last try ended in `error`, when the hand-in is to blame: it failed once its code had
 * begun to run, while a sandbox that holds nothing of it works on the same machine. Else null.
 */
export async function chargeIfToBlame(
  parts: GradeParts,
  request: GradeRequest,
  error: ProctorError,
): Promise<MeasuredGrade | null> {
  const suspect = error.details.phase === 'candidate' && (error.fault === 'platform' || error.fault === 'defect');
  return suspect && (await controlWorks(parts)) ? chargedGrade(parts, request, error) : null;
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

async function controlWorks({ driver }: GradeParts): Promise<boolean> {
  try {
    const control = await driver.create({ root: { kind: 'host' }, limits: CONTROL_LIMITS });
    try {
      const { ending } = await control.exec({ argv: ['/usr/bin/true'] });
      return ending.kind === 'exited' && ending.code === 0;
    } finally {
      await control.destroy();
    }
  } catch {
    return false;
  }
}
