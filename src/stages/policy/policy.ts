import { z } from 'zod';
import { type Digest, digestSchema } from '../../platform/base/digest.ts';
import { idPattern } from '../../platform/base/ids.ts';
import { ASSURANCES } from '../grade/grade.ts';
import { INTEGRITIES, OUTCOMES, VERDICT_FAULTS } from '../verdict/verdict.ts';

export const ACTIONS = ['accept', 'down-weight', 'quarantine', 'reject'] as const;

/** Why a decision opens a case for a person. */
const REVIEWS = ['always', 'sampled', 'control'] as const;

const oneOrMore = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.union([z.enum(values), z.array(z.enum(values)).min(1)]);

/** Fields of the verdict that a rule may ask for; a rule fires when all that it names hold. */
const conditionSchema = z
  .strictObject({
    outcome: oneOrMore(OUTCOMES),
    integrity: oneOrMore(INTEGRITIES),
    assurance: oneOrMore(ASSURANCES),
    fault: oneOrMore(VERDICT_FAULTS),
  })
  .partial()
  .refine((condition) => Object.keys(condition).length > 0, 'a rule needs at least one condition');

const ruleSchema = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,60}$/),
  about: z.string().min(1),
  when: conditionSchema,
  decide: z.strictObject({
    action: z.enum(ACTIONS),
    weight: z.number().min(0).max(1),
    flag: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,60}$/)
      .optional(),
  }),
});

const verdictCaseSchema = z.strictObject({
  outcome: z.enum(OUTCOMES),
  integrity: z.enum(INTEGRITIES),
  assurance: z.enum(ASSURANCES).nullable().default('oracle'),
  fault: z.enum(VERDICT_FAULTS).default('none'),
});

/** A policy file: rules over the verdict, and cases that say what they must decide. */
export const policySchema = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/),
  version: z.int().min(1),
  about: z.string().min(1),
  /** What becomes of rewards of tasks that no audit has admitted: refused when they are asked for, or paid all the same. */
  unadmitted: z.enum(['refuse', 'pay']).default('refuse'),
  rules: z.array(ruleSchema).min(1),
  cases: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        given: verdictCaseSchema,
        expect: z.strictObject({
          action: z.enum(ACTIONS),
          weight: z.number().min(0).max(1),
          rules: z.array(z.string()).default([]),
        }),
      }),
    )
    .min(1),
});

export type PolicyRules = z.infer<typeof policySchema>;

/** A policy with the digest of its source, by which decisions name it. */
export interface Policy {
  readonly rules: PolicyRules;
  readonly source: string;
  readonly digest: Digest;
}

export const decisionBodySchema = z.object({
  action: z.enum(ACTIONS),
  weight: z.number().min(0).max(1),
  /** True: a trainer must not learn from this sample at all. */
  mask: z.boolean(),
  flags: z.array(z.string()),
  /** Which rules fired and the weight that each asked for; the least counts. `law` names a rule that no policy can lift. */
  rules: z.array(z.object({ id: z.string(), weight: z.number() })),
  /** Why a person is to look; absent: nobody need. A rule says always, a draw of those that a rule samples, a draw among the clean. */
  review: z.enum(REVIEWS).optional(),
});
export type DecisionBody = z.infer<typeof decisionBodySchema>;

export const decisionRowSchema = z.object({
  id: z.string().regex(idPattern('dec')),
  verdictId: z.string().regex(idPattern('ver')),
  policyDigest: digestSchema,
  body: decisionBodySchema,
});
export type DecisionRow = z.infer<typeof decisionRowSchema>;
