import { asProctorError } from '../platform/base/errors.ts';
import type { Database } from '../platform/db/database.ts';
import { type GradeBody, gradeDigest } from '../stages/grade/grade.ts';
import { findGrade } from '../stages/grade/grade-store.ts';
import { findScreening } from '../stages/signal/screening-store.ts';
import { judge } from '../stages/verdict/judge.ts';
import { type RegradeReport, regradeReport } from '../stages/verdict/regrade-report.ts';
import { findFirstVerdict, findVerdict } from '../stages/verdict/verdict-store.ts';
import { ungradedGrade } from './give-up.ts';
import { gradeOrCharge } from './grade-or-charge.ts';
import { loadSubmission } from './load-submission.ts';
import type { PipelineParts } from './pipeline-parts.ts';

type RegradeParts = Pick<PipelineParts, 'blobs' | 'driver' | 'snapshots' | 'tools'> & { readonly database: Database };

/**
 * Grades a stored hand-in again with the stored task and instance, on the snapshot of the first grade where a digest names it,
 * judges it with the stored screening, and compares with what was judged then, before any ruling of a person. Stores nothing. Rejects as grading does; what was ungraded the first time
 * may be so again. `not-found`, `digest-mismatch`.
 */
export async function regrade(parts: RegradeParts, verdictId: string): Promise<RegradeReport> {
  const { gradeId } = await findVerdict(parts.database, verdictId);
  const verdict = await findFirstVerdict(parts.database, gradeId);
  const first = await findGrade(parts.database, gradeId);
  const { basis } = verdict.body;
  const { body, scoring } = await gradeAgain(parts, verdict.artifactId, first.body);
  const again = judge({
    artifact: { digest: basis.artifact },
    grade: { body, digest: gradeDigest(body) },
    screening: basis.screening === null ? null : await findScreening(parts.database, verdict.artifactId),
    scoring,
  });
  return regradeReport(verdictId, { grade: first.body, verdict: verdict.body }, { grade: body, verdict: again });
}

async function gradeAgain(
  parts: RegradeParts,
  artifactId: string,
  first: GradeBody,
): Promise<{ body: GradeBody; scoring: 'all' | 'fraction' }> {
  try {
    const request = await loadSubmission(parts, artifactId);
    const again = await gradeOrCharge(parts, { ...request, ...sameSnapshot(first) });
    // there may be no time for siblings now, or none then: what they told the first time stands
    const { siblings: _again, ...measured } = again;
    const body = first.kind === 'measured' && first.siblings ? { ...measured, siblings: first.siblings } : measured;
    return { body, scoring: request.task.definition.proctor.scoring };
  } catch (thrown) {
    if (first.kind === 'measured') throw thrown;
    return { body: ungradedGrade(asProctorError(thrown)), scoring: 'all' };
  }
}

/** The snapshot that was graded on, by digest where it has one. */
function sameSnapshot(body: GradeBody): { snapshot?: string } {
  const snapshot = body.inputs?.snapshot;
  return snapshot?.pinned ? { snapshot: snapshot.digest } : {};
}
