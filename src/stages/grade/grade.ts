import { z } from 'zod';
import { type Digest, digestOfJson, digestSchema } from '../../platform/base/digest.ts';
import { idPattern } from '../../platform/base/ids.ts';

/** How one required case came out. Only `passed` counts; whatever is not known to be right is not passed. */
export const CASE_STATUSES = ['passed', 'failed', 'skipped', 'crashed', 'timed-out', 'missing'] as const;

export const caseResultSchema = z.object({
  id: z.string(),
  status: z.enum(CASE_STATUSES),
  /** For people; may quote the candidate's output. Never shown to trainers. */
  note: z.string(),
  wallMs: z.number(),
});
export type CaseResult = z.infer<typeof caseResultSchema>;

export const ASSURANCES = ['oracle', 'witnessed', 'plain'] as const;

/** What a run beside the candidate's code showed that honest work does not. */
const WITNESS_SIGNS = [
  'broken-report',
  'duplicate-result',
  'unknown-result',
  'twin-without-result',
  'exit-disagrees',
] as const;

const witnessSchema = z.object({
  /** Must-fail tests that took part. */
  twins: z.int().min(0),
  /** Required tests that had one. */
  testsWithTwins: z.int().min(0),
  /** Required tests. */
  of: z.int().min(0),
  /** Required tests that were told as passed together with a twin of theirs, which cannot be. */
  green: z.array(z.string()),
  signs: z.array(z.enum(WITNESS_SIGNS)),
});
/** How well a run in the candidate's own process was watched, and what was seen. */
export type Witness = z.infer<typeof witnessSchema>;

const rightSchema = z.object({ right: z.int().min(0), of: z.int().min(0) });
/** Fewer examples than this tell nothing: one or two are soon right by chance. */
const FEWEST_EXAMPLES = 3;
/** Of its own examples; one left out on purpose hides nothing. */
const LEAST_RIGHT_SHARE = 0.75;
/** More of the siblings' examples than this share are right for work that only has a mistake in it. */
const MOST_RIGHT_SHARE = 0.2;

const siblingsSchema = z.object({
  /** The examples that the subject was shown. */
  own: rightSchema,
  /** Examples of the same kind with other values, of so many instances. */
  siblings: rightSchema.extend({ instances: z.int().min(1) }),
});
/** How a hand-in does on the examples that its subject was shown, and on such that nobody was. */
export type Siblings = z.infer<typeof siblingsSchema>;

/** Whether a hand-in knows the shown examples and nothing else: they are right, and hardly any of the same kind. */
export function isHardCoded({ own, siblings }: Siblings): boolean {
  if (own.of < FEWEST_EXAMPLES || siblings.of < FEWEST_EXAMPLES || own.right < own.of * LEAST_RIGHT_SHARE) return false;
  return siblings.right <= siblings.of * MOST_RIGHT_SHARE;
}

const inputsSchema = z.object({
  task: digestSchema,
  instance: digestSchema,
  artifact: digestSchema,
  snapshot: z.object({ name: z.string(), digest: digestSchema, pinned: z.boolean() }).nullable(),
  grader: z.object({ name: z.string(), digest: digestSchema }),
});
export type GradeInputs = z.infer<typeof inputsSchema>;

const measuredSchema = z.object({
  kind: z.literal('measured'),
  inputs: inputsSchema,
  assurance: z.enum(ASSURANCES),
  /** Every required case, exactly once, in the order drawn. Empty when the hand-in was refused. */
  cases: z.array(caseResultSchema),
  /** Why no case was run although the subject is to blame for it; null otherwise. */
  refusal: z.string().nullable(),
  /** Share of right cases, 0 to 1. */
  score: z.number().min(0).max(1),
  passed: z.boolean(),
  resources: z.object({ cpuMs: z.number().nullable(), memoryPeakBytes: z.number().nullable() }),
  phases: z.record(z.string(), z.number()),
  stderrTail: z.string(),
  /** Only where tests and candidate shared a sandbox. */
  witness: witnessSchema.optional(),
  /** Only where the task has siblings and there was time for them. */
  siblings: siblingsSchema.optional(),
});

const ungradedSchema = z.object({
  kind: z.literal('ungraded'),
  inputs: inputsSchema.nullable(),
  fault: z.enum(['task', 'platform', 'evidence']),
  code: z.string(),
  message: z.string(),
});

export const gradeBodySchema = z.discriminatedUnion('kind', [measuredSchema, ungradedSchema]);

/** What a grader measured on one artifact, or why it could not. Says nothing about honesty. */
export type GradeBody = z.infer<typeof gradeBodySchema>;
export type MeasuredGrade = z.infer<typeof measuredSchema>;

export const gradeRowSchema = z.object({
  id: z.string().regex(idPattern('grade')),
  artifactId: z.string().regex(idPattern('sub')),
  round: z.int(),
  body: gradeBodySchema,
  digest: digestSchema,
  createdAt: z.date(),
});
export type GradeRow = z.infer<typeof gradeRowSchema>;

/** Digest of what the same inputs must give again: everything but times, notes, resource use, and siblings, for which there may be no time. */
export function gradeDigest(body: GradeBody): Digest {
  if (body.kind === 'ungraded') return digestOfJson({ kind: body.kind, fault: body.fault, code: body.code });
  const { kind, assurance, refusal, score, passed, witness } = body;
  const snapshot = body.inputs.snapshot && { ...body.inputs.snapshot, name: undefined };
  const inputs = { ...body.inputs, snapshot };
  const cases = body.cases.map(({ id, status }) => ({ id, status }));
  return digestOfJson({ kind, inputs, assurance, refusal, score, passed, cases, ...(witness && { witness }) });
}
