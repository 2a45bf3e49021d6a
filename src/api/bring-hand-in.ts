import { ProctorError } from '../platform/base/errors.ts';
import type { SentFile } from '../stages/artifact/accept-files.ts';
import { applyPatch } from '../stages/artifact/apply-patch.ts';
import { findArtifact, findHandedIn } from '../stages/artifact/artifact-store.ts';
import { fillTask } from '../stages/instance/fill-task.ts';
import { findInstance } from '../stages/instance/instance-store.ts';
import { remakeInstance } from '../stages/instance/make-instance.ts';
import { saveSaidItem } from '../stages/reward/reward-item-store.ts';
import type { RunLabels } from '../stages/run/run.ts';
import { refuseCancelled } from '../stages/run/run-store.ts';
import { findSession, findSessionEnd } from '../stages/session/session-store.ts';
import { findTask, findTaskDigest } from '../stages/task/task-store.ts';
import type { ApiParts } from './api-parts.ts';
import { codeOf } from './code-of.ts';
import type { RewardItemRequest } from './reward-request.ts';
import { decodeFiles } from './sent-files.ts';

/** The call that an item came with. */
export interface AskedBy {
  readonly requestId: string | undefined;
  /** Whose call it is: request ids are a caller's own. */
  readonly keyId: string | undefined;
  readonly labels: RunLabels;
  /** The item's place in the call, from 0. */
  readonly place?: number;
}

/** What an item may name or bring; the first that is there counts for `response`, which may also stand beside another. */
const SOURCES = ['submission_id', 'session_id', 'artifact', 'patch'] as const;

/**
 * The hand-in that an item names, or that is made from what it brings; null while its session has not ended. What the caller said of
 * the item is stored beside it. `bad-request` for an item that names nothing or two things.
 */
export async function bringHandIn(parts: ApiParts, item: RewardItemRequest, call: AskedBy): Promise<string | null> {
  const named = SOURCES.filter((source) => item[source] !== undefined);
  const [source = 'response'] = named;
  if (named.length > 1 || (source === 'response' && typeof item.response !== 'string')) {
    throw new ProctorError('bad-request', `give one of ${SOURCES.join(', ')}, or a text as response`);
  }
  const artifactId = await artifactOf(parts, { item, source }, call);
  if (artifactId !== null) await keepSaid(parts, { item, artifactId }, call);
  return artifactId;
}

async function artifactOf(
  parts: ApiParts,
  { item, source }: { item: RewardItemRequest; source: (typeof SOURCES)[number] | 'response' },
  call: AskedBy,
): Promise<string | null> {
  if (source === 'submission_id') return (await findArtifact(parts.database, item.submission_id ?? '')).id;
  if (source === 'session_id') return artifactOfSession(parts, item.session_id ?? '');
  if ((item.instance_id === undefined) === (item.task === undefined)) {
    throw new ProctorError('bad-request', `beside ${source} give instance_id or task`);
  }
  return handIn(parts, item, call).catch((thrown) => {
    const isRace = item.task !== undefined && thrown instanceof ProctorError && thrown.code === 'conflict';
    if (isRace) return handIn(parts, item, call); // the same call made an instance at the same time: now it is known
    throw thrown;
  });
}

/** What a session handed in; null: it goes on. */
async function artifactOfSession({ database }: ApiParts, sessionId: string): Promise<string | null> {
  const end = await findSessionEnd(database, sessionId);
  if (end === null) {
    await findSession(database, sessionId); // `not-found`
    return null;
  }
  if (end.artifactId !== null) return end.artifactId;
  throw new ProctorError('not-found', `the session ${sessionId} ended as ${end.body.outcome} and handed in nothing`);
}

async function handIn(parts: ApiParts, item: RewardItemRequest, call: AskedBy): Promise<string> {
  const idempotencyKey =
    call.requestId === undefined ? undefined : JSON.stringify(['reward', call.keyId, call.requestId, item.id]);
  const labels = { ...call.labels, group: item.group_id ?? call.labels.group };
  await refuseCancelled(parts.database, labels);
  const instanceId = item.instance_id ?? (await instanceFor(parts, item, { idempotencyKey, phase: labels.phase }));
  const files = await filesOf(parts, item, instanceId);
  return (await parts.submit({ instanceId, files, idempotencyKey, labels })).id;
}

/** The instance that an earlier call made for this item, or a new one. */
async function instanceFor(
  parts: ApiParts,
  { task = '', seed }: RewardItemRequest,
  { idempotencyKey, phase }: { idempotencyKey: string | undefined; phase: 'train' | 'eval' },
): Promise<string> {
  const earlier = idempotencyKey === undefined ? null : await findHandedIn(parts.database, idempotencyKey);
  if (earlier !== null) return (await findArtifact(parts.database, earlier)).instanceId;
  const found = await findTask(parts, await findTaskDigest(parts.database, task));
  return (await parts.instances.serve(found, { seed, phase })).row.id;
}

async function filesOf(parts: ApiParts, item: RewardItemRequest, instanceId: string): Promise<readonly SentFile[]> {
  if (item.artifact !== undefined) return decodeFiles(item.artifact.files);
  const row = await findInstance(parts.database, instanceId);
  const task = await findTask(parts, row.taskDigest);
  const instance = remakeInstance(task, row);
  if (item.patch !== undefined) return applyPatch(instance.files, item.patch);
  const { include } = fillTask(task, instance.parameters).definition.proctor.artifact;
  const [path = '', another] = include;
  if (another !== undefined || /[*?[\]{}()!]/.test(path)) {
    throw new ProctorError(
      'bad-request',
      `the task ${task.name} takes no single file, so a response cannot be one: send artifact or patch`,
    );
  }
  return [{ path, bytes: Buffer.from(codeOf(String(item.response)), 'utf8'), executable: false }];
}

/** Keeps what the caller said, where it said anything or may ask again. */
async function keepSaid(
  { database, blobs }: ApiParts,
  { item, artifactId }: { item: RewardItemRequest; artifactId: string },
  { requestId, keyId, place = 0 }: AskedBy,
): Promise<void> {
  const { trajectory, prompt, response, label, metadata, stop, attempt, group_size: groupSize } = item;
  const long = { trajectory: trajectory?.inline, prompt, response, label, metadata };
  const saysMuch = Object.values(long).some((value) => value !== undefined);
  const short = { stop, attempt, groupSize, trajectory: trajectory && { format: trajectory.format } };
  const saysLittle = Object.values(short).some((value) => value !== undefined);
  if (requestId === undefined && !saysMuch && !saysLittle) return;
  const blob = saysMuch ? await blobs.put(Buffer.from(JSON.stringify(long), 'utf8')) : null;
  const whose = { keyId: keyId ?? '', requestId: requestId ?? null, itemId: item.id, place };
  await saveSaidItem(database, { ...whose, artifactId, said: short, blob });
}
