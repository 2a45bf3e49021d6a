import type { Blobs } from '../platform/blobs/blobs.ts';
import type { Database } from '../platform/db/database.ts';
import { findArtifact } from '../stages/artifact/artifact-store.ts';
import type { GradeRequest } from '../stages/grade/grade-artifact.ts';
import { fillTask } from '../stages/instance/fill-task.ts';
import type { Instance } from '../stages/instance/instance.ts';
import { findInstance, findLockedSnapshot } from '../stages/instance/instance-store.ts';
import { remakeInstance } from '../stages/instance/make-instance.ts';
import { findTask } from '../stages/task/task-store.ts';

/** A hand-in with all that it is graded against, and what its subject was given. */
export interface LoadedSubmission extends GradeRequest {
  readonly given: Instance;
}

/** A hand-in with its instance and task, each compared with its digest; parameters are drawn again, not believed. */
export async function loadSubmission(
  parts: { readonly database: Database; readonly blobs: Blobs },
  artifactId: string,
): Promise<LoadedSubmission> {
  const artifact = await findArtifact(parts.database, artifactId);
  const row = await findInstance(parts.database, artifact.instanceId);
  const task = await findTask(parts, row.taskDigest);
  const given = remakeInstance(task, row);
  const { parameters } = given;
  const snapshot = await findLockedSnapshot(parts.database, row.id);
  return {
    ...{ artifact, instance: { ...row, parameters }, task: fillTask(task, parameters), given },
    ...(snapshot !== null && { snapshot }),
  };
}
