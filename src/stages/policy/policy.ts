import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import { idPattern } from '../../platform/base/ids.ts';

export const ACTIONS = ['accept', 'down-weight', 'quarantine', 'reject'] as const;
export const RULE_KINDS = ['hard', 'soft'] as const;

/** Why a decision opens a case for a person. */
const REVIEWS = ['always', 'sampled', 'control'] as const;

/** What a rule saw: the values of the fields that its condition names; of signals, `kind (severity)`. */
const becauseSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

const firedSchema = z.object({
  /** `law:…` and `value:…` are no rules of the file: a law that no policy can lift, and what the policy gives a time-out. */
  id: z.string(),
  /** That it asked for; the least counts. */
  weight: z.number(),
  kind: z.enum(RULE_KINDS).optional(),
  /** Its part of the weight that was taken away; all parts together are 1, or 0 where nothing was. */
  share: z.number().min(0).max(1).optional(),
  because: becauseSchema.optional(),
  /** Why it could not be evaluated. */
  error: z.string().optional(),
});
export type FiredRule = Readonly<z.infer<typeof firedSchema>>;

export const decisionBodySchema = z.object({
  action: z.enum(ACTIONS),
  weight: z.number().min(0).max(1),
  /** True: a trainer must not learn from this sample at all. */
  mask: z.boolean(),
  flags: z.array(z.string()),
  /** Which rules fired. */
  rules: z.array(firedSchema),
  /** Why a person is to look; absent: nobody need. A rule says always, a draw of those that a rule samples, a draw among the clean. */
  review: z.enum(REVIEWS).optional(),
  /** What rejected work gets; absent: zero. */
  value: z.enum(['as-earned', 'left-out']).optional(),
});
export type DecisionBody = z.infer<typeof decisionBodySchema>;

export const decisionRowSchema = z.object({
  id: z.string().regex(idPattern('dec')),
  verdictId: z.string().regex(idPattern('ver')),
  policyDigest: digestSchema,
  body: decisionBodySchema,
});
export type DecisionRow = z.infer<typeof decisionRowSchema>;
