import { createHmac } from 'node:crypto';
import type { Digest } from '../../platform/base/digest.ts';
import type { Task } from '../task/task.ts';
import { drawParameters } from './generators.ts';
import type { InstanceRow, Parameters } from './instance.ts';
import { atLevelOf, latePlan } from './parameter-plan.ts';

/** What is hidden of an instance, for one artifact. */
export interface HiddenDraw {
  /** Draws the hidden cases. */
  readonly seed: string;
  /** The instance's parameters with those that are drawn late. */
  readonly parameters: Parameters;
}

/**
 * Draws what is hidden, once an artifact is sealed: by HMAC-SHA-256 over the digests of task, instance and artifact under a secret that
 * only the service has. Nobody can know it before the artifact is there, a changed artifact meets other inputs, and the same one meets the same
 * again. Instances of format 1 have no secret: theirs is drawn from the seed.
 */
export function drawHidden(task: Task, instance: Omit<InstanceRow, 'id'>, artifact: Digest): HiddenDraw {
  const { drawSecret, seed, parameters, taskDigest, digest } = instance;
  if (drawSecret === null) return { seed: `hidden/${seed}`, parameters };
  const words = ['proctor/hidden/1', taskDigest, digest, artifact].join('\0');
  const hidden = createHmac('sha256', drawSecret).update(words).digest('hex');
  const { values } = drawParameters(latePlan(task), { seed: hidden, ...atLevelOf(instance) });
  return { seed: hidden, parameters: { ...parameters, ...values } };
}
