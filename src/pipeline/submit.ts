import { ProctorError } from '../platform/base/errors.ts';
import type { Queryable } from '../platform/db/database.ts';
import { acceptFiles, type SentFile } from '../stages/artifact/accept-files.ts';
import type { ArtifactRow, Manifest } from '../stages/artifact/artifact.ts';
import { countHandIns, findHandedIn, saveArtifact } from '../stages/artifact/artifact-store.ts';
import { collectFolder } from '../stages/artifact/collect-folder.ts';
import { fillTask } from '../stages/instance/fill-task.ts';
import { findInstance } from '../stages/instance/instance-store.ts';
import { NO_LABELS, type RunLabels } from '../stages/run/run.ts';
import type { ArtifactRules } from '../stages/task/task.ts';
import { findTask } from '../stages/task/task-store.ts';
import type { Pipeline } from './pipeline.ts';
import type { PipelineParts } from './pipeline-parts.ts';

/** What is handed in: a folder of this machine, or files that a harness sent. */
export type HandIn = { readonly folder: string } | { readonly files: readonly SentFile[] };

interface Request {
  readonly instanceId: string;
  readonly handIn: HandIn;
  readonly idempotencyKey?: string | undefined;
  readonly labels?: RunLabels | undefined;
  /** Hand-ins that the instance takes; 0: any number. */
  readonly mostAttempts?: number;
}

/**
 * Seals a hand-in for an instance, stores it and begins the work on it. With an idempotency key that was used before,
 * the earlier hand-in is given back and nothing new is begun. `queue-full` when too many wait; `too-many-attempts` when the instance has
 * had its hand-ins: who tries often enough learns from the answers alone.
 */
export async function submit(parts: PipelineParts, pipeline: Pipeline, request: Request): Promise<ArtifactRow> {
  const { openBound, database } = parts;
  return openBound
    .within(() => handIn(parts, pipeline, request))
    .catch(async (thrown) => {
      // who comes again for what was handed in before needs no room
      const isFull = thrown instanceof ProctorError && thrown.code === 'queue-full';
      const { idempotencyKey } = request;
      if (!isFull || idempotencyKey === undefined || (await findHandedIn(database, idempotencyKey)) === null)
        throw thrown;
      return handIn(parts, pipeline, request);
    });
}

async function handIn(parts: PipelineParts, pipeline: Pipeline, request: Request): Promise<ArtifactRow> {
  await refuseMany(parts.database, request);
  const instance = await findInstance(parts.database, request.instanceId);
  const task = await findTask(parts, instance.taskDigest);
  const { definition } = fillTask(task, instance.parameters);
  const manifest = await seal(parts, definition.proctor.artifact, request.handIn);
  const idempotencyKey = request.idempotencyKey ?? null;
  const { labels = NO_LABELS } = request;
  const artifact = await saveArtifact(parts.database, { instanceId: instance.id, manifest, idempotencyKey, labels });
  // runs take turns, and so do tasks of what belongs to none
  const group = labels.run === null ? instance.taskDigest : `run ${labels.run}`;
  await pipeline.begin(artifact.id, group);
  return artifact;
}

async function refuseMany(
  database: Queryable,
  { instanceId, idempotencyKey, mostAttempts: most = 0 }: Request,
): Promise<void> {
  if (most === 0 || (await countHandIns(database, instanceId, most)) < most) return;
  if (idempotencyKey !== undefined && (await findHandedIn(database, idempotencyKey)) !== null) return;
  throw new ProctorError(
    'too-many-attempts',
    `the instance ${instanceId} has had ${most} hand-ins, and takes no more`,
    {
      most,
    },
  );
}

function seal(parts: PipelineParts, rules: ArtifactRules, handIn: HandIn): Promise<Manifest> {
  if ('folder' in handIn) return collectFolder(handIn.folder, rules, parts.blobs);
  return acceptFiles(handIn.files, rules, parts.blobs);
}
