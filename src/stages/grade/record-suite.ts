import { placeArtifact } from './candidate.ts';
import { inFreshSandboxes } from './fresh-sandboxes.ts';
import { type GradeParts, type GradeRequest, sandboxesFor, snapshotOf } from './grade-artifact.ts';
import { runSuite, type SuiteReport } from './grade-pytest.ts';

/**
 * Runs a pytest task's suite on its reference, taking its word everywhere and noting where: the profile that later hand-ins
 * are held to. Rejects as `gradeArtifact` does.
 */
export async function recordSuite(parts: GradeParts, request: GradeRequest): Promise<SuiteReport> {
  const { task, instance, artifact } = request;
  const snapshot = await snapshotOf(parts, request);
  return inFreshSandboxes(sandboxesFor(parts, request, snapshot), async (examinerBox, candidate) => {
    await placeArtifact(candidate, artifact.manifest, parts.blobs);
    const { driver } = parts;
    const silent = { keepStderr: () => undefined, endPhase: () => undefined };
    return runSuite({ task, instance, driver, examinerBox, candidate, ...silent }, { record: true, required: null });
  });
}
