import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import { idPattern } from '../../platform/base/ids.ts';
import { ASSURANCES } from '../grade/grade.ts';

export const OUTCOMES = ['passed', 'failed', 'ungraded'] as const;
export const INTEGRITIES = ['clean', 'suspect', 'violated', 'unknown'] as const;
export const VERDICT_FAULTS = ['subject', 'task', 'platform', 'none'] as const;

export const verdictBodySchema = z.object({
  outcome: z.enum(OUTCOMES),
  integrity: z.enum(INTEGRITIES),
  /** Null when there is no measurement to be sure of. */
  assurance: z.enum(ASSURANCES).nullable(),
  fault: z.enum(VERDICT_FAULTS),
  /** What the work earned, 0 to 1, before any policy. */
  score: z.number().min(0).max(1),
  cases: z.object({ passed: z.int(), total: z.int() }),
  /** False when the environment's bytes are not named by a digest (`host`), so another machine may judge differently. */
  pinned: z.boolean(),
  signals: z.array(z.object({ kind: z.string(), severity: z.string() })),
  /** Why there is no grade, or why a hand-in was refused. */
  reason: z.string().nullable(),
  basis: z.object({
    artifact: digestSchema,
    grade: digestSchema,
    screening: digestSchema.nullable(),
    /** Of a verdict that a person amended: the verdict before, and the ruling. */
    amends: digestSchema.optional(),
    ruling: digestSchema.optional(),
  }),
});

/** *Right* and *honest* are two questions; *whose fault* is a third. */
export type VerdictBody = z.infer<typeof verdictBodySchema>;

export const verdictRowSchema = z.object({
  id: z.string().regex(idPattern('ver')),
  artifactId: z.string().regex(idPattern('sub')),
  gradeId: z.string().regex(idPattern('grade')),
  body: verdictBodySchema,
  /** The verdict that this one amends, and the ruling that did; null for what was judged from a grade. */
  amends: z.string().regex(idPattern('ver')).nullable(),
  rulingId: z.string().regex(idPattern('rul')).nullable(),
  digest: digestSchema,
  createdAt: z.date(),
});
export type VerdictRow = z.infer<typeof verdictRowSchema>;
