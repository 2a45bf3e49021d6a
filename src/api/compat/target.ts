import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { idPattern } from '../../platform/base/ids.ts';
import { parseHostileJson } from '../../platform/base/safe-json.ts';
import { seedSchema } from '../../stages/instance/instance.ts';
import { phaseSchema } from '../phase.ts';
import { runFields } from '../run-labels.ts';
import { safeText } from '../safe-text.ts';

const LABEL_BOUNDS = { maxBytes: 65_536, maxDepth: 8, maxNodes: 1_000 };

const targetSchema = z
  .object({
    instance_id: z.string().regex(idPattern('inst'), 'not an instance id').optional(),
    submission_id: z.string().regex(idPattern('sub'), 'not a submission id').optional(),
    session_id: z.string().regex(idPattern('sess'), 'not a session id').optional(),
    task: safeText(200).optional().describe('name or digest of a registered task'),
    seed: z.union([seedSchema, z.int().transform(String)]).optional(),
    difficulty: safeText(40).optional(),
    file: safeText(8_192).optional().describe('the file that the response becomes'),
    phase: phaseSchema,
    ...runFields,
  })
  .refine(
    ({ instance_id, submission_id, session_id, task }) =>
      [instance_id, submission_id, session_id, task].filter((one) => one !== undefined).length === 1,
    'name one of instance_id, submission_id, session_id and task',
  );

/** What a label names. */
export type Target = z.infer<typeof targetSchema>;

const ID_FIELDS = [
  ['inst_', 'instance_id'],
  ['sub_', 'submission_id'],
  ['sess_', 'session_id'],
] as const;

/**
 * What a label names: an id (`inst_…`, `sub_…`, `sess_…`), or an object, as JSON text or as it is, with one of `instance_id`,
 * `submission_id`, `session_id`, `task`. `bad-request` for anything else.
 */
export function targetOf(label: unknown): Target {
  const parsed = targetSchema.safeParse(typeof label === 'string' ? fieldsOf(label.trim()) : label);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  throw new ProctorError('bad-request', `the label is not as documented: ${faults.slice(0, 400)}`);
}

function fieldsOf(label: string): unknown {
  const [, field] = ID_FIELDS.find(([prefix]) => label.startsWith(prefix)) ?? [];
  if (field !== undefined) return { [field]: label };
  if (label.startsWith('{')) return parseHostileJson(label, LABEL_BOUNDS);
  throw new ProctorError('bad-request', 'a label is an id (inst_…, sub_…, sess_…) or a JSON object');
}
