import type { Blobs } from '../platform/blobs/blobs.ts';
import type { Database } from '../platform/db/database.ts';
import { findArtifact } from '../stages/artifact/artifact-store.ts';
import type { GradeRequest } from '../stages/grade/grade-artifact.ts';
import { findInstance } from '../stages/instance/instance-store.ts';
import { findTask } from '../stages/task/task-store.ts';

/** A hand-in with its instance and task, each compared with its digest. */
export async function loadSubmission(
  parts: { readonly database: Database; readonly blobs: Blobs },
  artifactId: string,
): Promise<GradeRequest> {
  const artifact = await findArtifact(parts.database, artifactId);
  const instance = await findInstance(parts.database, artifact.instanceId);
  return { artifact, instance, task: await findTask(parts, instance.taskDigest) };
}
