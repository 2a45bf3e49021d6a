import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import type { Problem } from './task.ts';

export const GATES = ['admitted', 'needs work'] as const;
export type Gate = (typeof GATES)[number];

const runSchema = z.strictObject({
  kind: z.enum(['nothing', 'environment', 'hollow', 'reference', 'variant', 'attack']),
  name: z.string(),
  technique: z.string().nullable(),
  outcome: z.string(),
  reward: z.number(),
  passed: z.array(z.string()),
  total: z.int(),
});

const testSchema = z.strictObject({
  id: z.string(),
  /** Null when it failed on the reference. */
  assurance: z.enum(['oracle', 'witnessed']).nullable(),
  /** What the candidate's word was taken for. */
  words: z.record(z.string(), z.int()),
  /** What the reference gave: `plain int`, or `handle shop.Cart` for an object that stays with the candidate; how often. */
  results: z.record(z.string(), z.int()),
  /** What makes it weak: it passes for nothing, for the hollow solution, for an attack; it is flaky or too narrow. */
  weak: z.array(z.string()),
});

const problemSchema: z.ZodType<Problem> = z.strictObject({
  severity: z.enum(['error', 'warning']),
  file: z.string(),
  field: z.string().exactOptional(),
  line: z.int().exactOptional(),
  message: z.string(),
});

/** All that an audit found, before the ruling. */
const findingsSchema = z.strictObject({
  task: z.string(),
  digest: digestSchema,
  grader: z.string(),
  runs: z.array(runSchema),
  tests: z.array(testSchema),
  /** Places where something hidden shows. */
  hidden: z.array(z.string()),
  problems: z.array(problemSchema),
});

export const auditReportSchema = findingsSchema.extend({
  /** 0 to 100: the share of tests that nothing but the reference passes, less 20 for each reason to keep the task out. */
  score: z.number().min(0).max(100),
  gate: z.enum(GATES),
  why: z.array(z.string()),
});

/** One hand-in of the audit and what came of it. */
export type AuditRun = z.infer<typeof runSchema>;
/** What is known of one hidden test. */
export type AuditedTest = z.infer<typeof testSchema>;
export type AuditFindings = z.infer<typeof findingsSchema>;
export type AuditReport = z.infer<typeof auditReportSchema>;

/** The ruling on what was found: a task is admitted when nothing that is wrong pays and the reference always does. */
export function ruleOn(found: AuditFindings): AuditReport {
  const errors = found.problems.filter(({ severity }) => severity === 'error');
  const isRight = ({ kind }: AuditRun) => kind === 'reference' || kind === 'variant';
  const paid = found.runs.filter((run) => run.reward > 0 && !isRight(run));
  const denied = found.runs.filter((run) => run.reward === 0 && isRight(run));
  const why = [
    ...errors.map(({ file, message }) => `${file}: ${message}`),
    ...paid.map(({ kind, name }) => `${kind} ${name} is rewarded`),
    ...denied.map(({ kind, name }) => `${kind} ${name} is not rewarded`),
    ...(found.runs.some(({ kind }) => kind === 'reference') ? [] : ['no reference was graded']),
    ...found.hidden,
  ];
  const strong = found.tests.filter(({ weak, assurance }) => weak.length === 0 && assurance !== null).length;
  const share = found.tests.length === 0 ? 0 : (100 * strong) / found.tests.length;
  const score = Math.max(0, Math.round(share) - 20 * why.length);
  return { ...found, score, gate: why.length === 0 ? 'admitted' : 'needs work', why };
}
