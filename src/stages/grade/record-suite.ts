import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { placeArtifact } from './candidate.ts';
import { type GradeParts, type GradeRequest, snapshotOf } from './grade-artifact.ts';
import { runSuite, type SuiteReport } from './grade-pytest.ts';
import { candidateLimits, examinerLimits } from './sandbox-limits.ts';

/**
 * Runs a pytest task's suite on its reference, taking its word everywhere and noting where: the profile that later hand-ins
 * are held to. Rejects as `gradeArtifact` does.
 */
export async function recordSuite(parts: GradeParts, request: GradeRequest): Promise<SuiteReport> {
  const { task, instance, artifact } = request;
  const snapshot = await snapshotOf(parts, request);
  const opened: Sandbox[] = [];
  try {
    const examinerBox = await parts.driver.create({
      root: snapshot.root,
      limits: examinerLimits(task),
      tools: parts.tools.examiner,
    });
    opened.push(examinerBox);
    const candidate = await parts.driver.create({
      root: snapshot.root,
      limits: candidateLimits(task),
      tools: parts.tools.candidate,
    });
    opened.push(candidate);
    await placeArtifact(candidate, artifact.manifest, parts.blobs);
    const { driver, tools } = parts;
    const run = {
      task,
      instance,
      driver,
      tools,
      examinerBox,
      candidate,
      keepStderr: () => undefined,
      endPhase: () => undefined,
    };
    return await runSuite(run, { record: true, required: null });
  } finally {
    await Promise.all(opened.map((sandbox) => sandbox.destroy()));
  }
}
