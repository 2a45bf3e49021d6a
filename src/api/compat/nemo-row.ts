import { z } from 'zod';

/** A row of a NeMo Gym data set, with what its client adds; everything in it goes back. */
export const rowSchema = z.looseObject({
  proctor: z.unknown().optional().describe('a label, where the row has other fields of that name'),
  label: z.unknown().optional(),
  verifier_metadata: z.unknown().optional(),
  instance_config: z.unknown().optional(),
  response: z.unknown().optional(),
});
export type Row = z.infer<typeof rowSchema>;

const NAMES = ['instance_id', 'submission_id', 'session_id', 'task'] as const;

/** The label of a row: its `proctor`, its `label`, its `verifier_metadata` (or a `label` in there), or the row’s own fields. */
export function labelOfRow(row: Row): unknown {
  const { proctor, label, verifier_metadata: metadata } = row;
  if (proctor !== undefined) return proctor;
  if (label !== undefined && label !== null) return label;
  if (isNamed(metadata)) return metadata;
  if (typeof metadata === 'object' && metadata !== null && 'label' in metadata) return metadata.label;
  return isNamed(row) ? row : undefined;
}

function isNamed(value: unknown): boolean {
  return typeof value === 'object' && value !== null && NAMES.some((name) => Object.hasOwn(value, name));
}

const messageSchema = z.object({
  type: z.literal('message'),
  content: z.union([
    z.string(),
    z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).transform((parts) =>
      parts
        .filter(({ type }) => type === 'output_text')
        .map(({ text }) => text ?? '')
        .join(''),
    ),
  ]),
});

/** The last message of the model in an answer of the Responses API; null when it has none. */
export function responseOfRow({ response }: Row): string | null {
  const output = (response as { output?: unknown } | null | undefined)?.output;
  if (!Array.isArray(output)) return null;
  const messages = output.map((item) => messageSchema.safeParse(item)).filter(({ success }) => success);
  return messages.at(-1)?.data?.content ?? null;
}
