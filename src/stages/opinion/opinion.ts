import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';

/** What a judge is asked to answer, and nothing else is taken. */
export const answerSchema = z.strictObject({
  /** 0: nothing speaks for cheating; 1: certain. */
  suspicion: z.number().min(0).max(1),
  /** In a few words; '' for none. */
  technique: z.string().max(200),
  /** The step that shows it best; null: none. */
  step: z.int().min(1).nullable(),
  reason: z.string().max(2_000),
});

export const opinionBodySchema = z.object({
  model: z.string(),
  /** Name and digest of the prompt that it was asked with. */
  prompt: z.object({ name: z.string(), digest: digestSchema }),
  /** Of the transcript that it was shown, so that it can be asked again. */
  transcript: digestSchema,
  /** Null: it gave none that can be used; `error` says why. */
  answer: answerSchema.nullable(),
  error: z.string(),
  inputTokens: z.int().nullable(),
  outputTokens: z.int().nullable(),
});

/**
 * What a language model thinks of a session. It was shown what the agent wrote, so the agent may have talked to it: an opinion can
 * add a doubt, and nothing that it says takes one away.
 */
export type OpinionBody = Readonly<z.infer<typeof opinionBodySchema>>;
