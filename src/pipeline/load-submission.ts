import { ProctorError } from '../platform/base/errors.ts';
import type { Blobs } from '../platform/blobs/blobs.ts';
import type { Database } from '../platform/db/database.ts';
import { findArtifact } from '../stages/artifact/artifact-store.ts';
import type { GradeRequest } from '../stages/grade/grade-artifact.ts';
import { findInstance } from '../stages/instance/instance-store.ts';
import { makeInstance } from '../stages/instance/make-instance.ts';
import { findTask } from '../stages/task/task-store.ts';

/** A hand-in with its instance and task, each compared with its digest; parameters are drawn again, not believed. */
export async function loadSubmission(
  parts: { readonly database: Database; readonly blobs: Blobs },
  artifactId: string,
): Promise<GradeRequest> {
  const artifact = await findArtifact(parts.database, artifactId);
  const row = await findInstance(parts.database, artifact.instanceId);
  const task = await findTask(parts, row.taskDigest);
  const { digest, parameters } = makeInstance(task, row.seed);
  if (digest !== row.digest) {
    throw new ProctorError('digest-mismatch', `the stored instance ${row.id} is not what was stored`, { id: row.id });
  }
  return { artifact, instance: { ...row, parameters }, task };
}
