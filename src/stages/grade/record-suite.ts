import { placeArtifact } from './candidate.ts';
import { inFreshSandboxes } from './fresh-sandboxes.ts';
import { type GradeParts, type GradeRequest, hiddenOf, sandboxesFor, snapshotOf } from './grade-artifact.ts';
import { runSuite, type SuiteReport } from './grade-pytest.ts';

/**
 * Runs a pytest task's suite on its reference, taking its word everywhere and noting where: the profile that later hand-ins
 * are held to. Rejects as `gradeArtifact` does.
 */
export async function recordSuite(parts: GradeParts, request: GradeRequest): Promise<SuiteReport> {
  const { task, artifact } = request;
  const snapshot = await snapshotOf(parts, request);
  return inFreshSandboxes(sandboxesFor(parts, request, snapshot), async (examinerBox, candidate) => {
    await placeArtifact(candidate, artifact.manifest, parts.blobs);
    const { driver } = parts;
    const silent = { keepStderr: () => undefined, endPhase: () => undefined };
    const run = { task, ...hiddenOf(request), driver, examinerBox, candidate, ...silent };
    return runSuite(run, { record: true, required: null });
  });
}
