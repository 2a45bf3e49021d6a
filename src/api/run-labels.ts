import { z } from 'zod';
import type { RunLabels } from '../stages/run/run.ts';
import { safeText } from './safe-text.ts';

/** A name or number of the caller’s own; comes back as text. */
export const ownName = z.union([safeText(200), z.number()]).transform(String);

/** What callers may say of where a session or a hand-in belongs. */
export const runFields = {
  run_id: ownName.optional().describe('your training or evaluation run'),
  step: z.coerce.number().int().min(0).max(1e9).optional().describe('your training step'),
  policy_version: ownName.optional().describe('of the model that acted: behaviour is compared within one'),
  group_id: ownName.optional().describe('the rollouts of one prompt'),
};
const fieldsSchema = z.object(runFields);

/** Labels from what a caller said. */
export function labelsOf(fields: z.infer<typeof fieldsSchema>, phase: RunLabels['phase'] = 'train'): RunLabels {
  const { run_id = null, step = null, policy_version: policyVersion = null, group_id: group = null } = fields;
  return { run: run_id, step, policyVersion, group, phase };
}
