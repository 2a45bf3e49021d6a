import { z } from 'zod';
import { idPattern } from '../../platform/base/ids.ts';
import { ACTIONS } from '../policy/policy.ts';
import { verdictBodySchema } from '../verdict/verdict.ts';

export const rewardBodySchema = z.object({
  status: z.enum(['scored', 'quarantined', 'unscored']),
  /** Always a finite number. */
  reward: z.number(),
  /** 0 to 1, before policy. */
  score: z.number(),
  trainWeight: z.number().min(0).max(1),
  maskSample: z.boolean(),
  /** `proctor:<kind>` when there is no usable reward; empty otherwise. */
  failureKind: z.string(),
  failureReason: z.string(),
  action: z.enum(ACTIONS),
  flags: z.array(z.string()),
  verdict: verdictBodySchema.pick({ outcome: true, integrity: true, assurance: true, fault: true }),
});

/** The number, weight and mask that a trainer receives, with the decision that allowed it. */
export type RewardBody = z.infer<typeof rewardBodySchema>;

export const rewardRowSchema = z.object({
  id: z.string().regex(idPattern('rew')),
  artifactId: z.string().regex(idPattern('sub')),
  decisionId: z.string().regex(idPattern('dec')),
  verdictId: z.string().regex(idPattern('ver')),
  body: rewardBodySchema,
  cases: z.object({ passed: z.int(), total: z.int() }),
  createdAt: z.date(),
});
export type RewardRow = z.infer<typeof rewardRowSchema>;
