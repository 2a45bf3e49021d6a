import type { FastifyRequest } from 'fastify';
import { asProctorError, ProctorError } from '../../platform/base/errors.ts';
import { findInstance } from '../../stages/instance/instance-store.ts';
import { findTaskDigest } from '../../stages/task/task-store.ts';
import { answerItem } from '../answer-item.ts';
import type { ApiParts } from '../api-parts.ts';
import { failedItem, type RewardItem } from '../reward-item.ts';
import { labelsOf } from '../run-labels.ts';
import { type DrawnInstances, itemOf } from './item-of.ts';
import { type Target, targetOf } from './target.ts';

/** One sample as a trainer sends it. */
export interface Sample {
  readonly label: unknown;
  /** What the model wrote; null where a format sends none. */
  readonly response: string | null;
  /** The instance that was drawn for this rollout before, for labels that name a task. */
  readonly instanceId?: string | undefined;
}

/** What the samples of one call have in common. */
export interface CompatCall {
  readonly keyId: string;
  /** `performance.now()`. */
  readonly deadlineMs: number;
}

/** The answer for one sample. */
export interface Answered {
  readonly item: Omit<RewardItem, 'group'>;
  /** Which samples are its siblings, as far as is known; null: nobody’s. */
  readonly siblings: string | null;
}

/** The call of a request. */
export function callOf(request: FastifyRequest, deadlineMs: number): CompatCall {
  return { keyId: request.caller?.keyId ?? '', deadlineMs };
}

/** The answer for one sample, whatever it is; only `queue-full` rejects, as for `POST /v1/rewards`. */
export async function answerSample(
  { parts, drawn }: { readonly parts: ApiParts; readonly drawn: DrawnInstances },
  { label, response, instanceId }: Sample,
  { keyId, deadlineMs }: CompatCall,
): Promise<Answered> {
  const startedMs = performance.now();
  try {
    const named = targetOf(label);
    const target = instanceId === undefined ? named : await drawnBefore(parts, named, instanceId);
    const { phase, ...fields } = target;
    const made = await itemOf(parts, drawn, { target, response });
    const labels = labelsOf(fields, phase);
    const batch = { requestId: 'compat', keyId, deadlineMs, startedMs, labels };
    const { groupId, ...item } = await answerItem(parts, made, batch);
    const group = groupId ?? made.instance_id ?? null;
    return { item, siblings: group === null ? null : JSON.stringify([keyId, labels.run, group]) };
  } catch (thrown) {
    const error = asProctorError(thrown);
    if (error.code === 'queue-full') throw error;
    if (error.fault !== 'caller') parts.log.error({ err: error, code: error.code }, 'a sample was not graded');
    const latency_ms = Math.round(performance.now() - startedMs);
    return { item: { ...failedItem('', error), latency_ms }, siblings: null };
  }
}

/** The same target with the instance that was drawn for its task; `conflict` when that instance is another task’s. */
async function drawnBefore({ database }: ApiParts, target: Target, instanceId: string): Promise<Target> {
  const { task, seed: _seed, difficulty: _difficulty, ...rest } = target;
  if (task === undefined) return target;
  const { taskDigest } = await findInstance(database, instanceId);
  if (taskDigest !== (await findTaskDigest(database, task))) {
    throw new ProctorError('conflict', `the session was seeded with an instance of another task than ${task}`);
  }
  return { ...rest, instance_id: instanceId };
}
