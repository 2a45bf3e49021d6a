import type { ProctorError } from '../platform/base/errors.ts';
import type { SandboxLimits } from '../platform/sandbox/sandbox.ts';
import type { GradeBody } from '../stages/grade/grade.ts';
import { chargedGrade } from '../stages/grade/grade-artifact.ts';
import { saveGrade } from '../stages/grade/grade-store.ts';
import { loadSubmission } from './load-submission.ts';
import type { PipelineParts } from './pipeline-parts.ts';

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
 * Ends the grading of a hand-in that could not be graded. What failed every time once the candidate's code had begun to
 * run, while a sandbox without it works on the same machine, is charged to the candidate; everything else is ungraded.
 */
export async function giveUpGrading(parts: PipelineParts, artifactId: string, error: ProctorError): Promise<void> {
  await saveGrade(parts.database, { artifactId, round: 1, body: await finalGrade(parts, artifactId, error) });
}

async function finalGrade(parts: PipelineParts, artifactId: string, error: ProctorError): Promise<GradeBody> {
  const byCandidate = error.fault === 'platform' && error.details.phase === 'candidate' && (await controlWorks(parts));
  if (byCandidate) {
    const why = `its code made the sandbox fail on every try: ${error.message}`;
    return chargedGrade(parts, await loadSubmission(parts, artifactId), why);
  }
  const fault = error.fault === 'task' || error.fault === 'evidence' ? error.fault : 'platform';
  return { kind: 'ungraded', inputs: null, fault, code: error.code, message: error.message.slice(0, 4_000) };
}

/** Whether a sandbox that holds nothing of the candidate's runs a program to its end here and now. */
async function controlWorks({ driver }: PipelineParts): Promise<boolean> {
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
