import type { ProctorError } from '../platform/base/errors.ts';
import { plainText } from '../platform/base/plain-text.ts';
import type { GradeBody } from '../stages/grade/grade.ts';
import { saveGrade } from '../stages/grade/grade-store.ts';
import { chargeIfToBlame } from './grade-or-charge.ts';
import { loadSubmission } from './load-submission.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import type { Claim } from './worker-store.ts';

/** Ends the grading of a hand-in that could not be graded: charged to it where it is to blame, else ungraded. */
export async function giveUpGrading(
  parts: PipelineParts & { readonly claim: Claim },
  artifactId: string,
  error: ProctorError,
): Promise<void> {
  const charged =
    error.details.phase === 'candidate'
      ? await chargeIfToBlame(parts, await loadSubmission(parts, artifactId), error)
      : null;
  const body = charged ?? ungradedGrade(error);
  await parts.claim.store((transaction) => saveGrade(transaction, { artifactId, round: 1, body }));
}

/** The grade of what could not be graded, with whose fault that is. */
export function ungradedGrade(error: ProctorError): GradeBody {
  const fault = error.fault === 'task' || error.fault === 'evidence' ? error.fault : 'platform';
  return { kind: 'ungraded', inputs: null, fault, code: error.code, message: plainText(error.message, 4_000) };
}
