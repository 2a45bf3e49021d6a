import { z } from 'zod';
import type { Digest } from '../../platform/base/digest.ts';
import { ASSURANCES } from '../grade/grade.ts';
import { INTEGRITIES, OUTCOMES, VERDICT_FAULTS } from '../verdict/verdict.ts';
import type { Condition } from './compile-condition.ts';
import { conditionVariables } from './context.ts';
import { ACTIONS, RULE_KINDS } from './policy.ts';
import { suggestion } from './suggest-name.ts';

/** A policy of more rules or cases is refused: it would not load in bounded time. */
const MOST_RULES = 10_000;
const MOST_CASES = 2_000;
/** As in `pinned-only`. */
const nameSchema = z.string().regex(/^[a-z][a-z0-9-]{0,60}$/, 'must be lower-case letters, digits and dashes');
const policyNameSchema = z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, 'must be lower-case letters, digits and dashes');
const share = z.number().min(0).max(1);

const VERDICT_FIELDS = ['outcome', 'integrity', 'assurance', 'fault'];

/** Text by one schema, anything else by another, so that a fault is told at its own field. */
const textOr = <T extends z.ZodType>(text: z.ZodType<string>, other: T) =>
  z.unknown().transform((value, context): string | z.infer<T> => {
    const parsed = (typeof value === 'string' ? text : other).safeParse(value);
    if (parsed.success) return parsed.data as string | z.infer<T>;
    for (const issue of parsed.error.issues) {
      const [key = ''] = issue.code === 'unrecognized_keys' ? issue.keys : [];
      const message = `${issue.message}${suggestion(key, VERDICT_FIELDS)}`;
      context.addIssue({ code: 'custom', path: issue.path, message });
    }
    return z.NEVER;
  });

const oneOrMore = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.union([z.enum(values), z.array(z.enum(values)).min(1)]);

/** The short form of a condition: fields of the verdict that must all hold; a list means any of them. */
const verdictConditionSchema = z
  .strictObject({
    outcome: oneOrMore(OUTCOMES),
    integrity: oneOrMore(INTEGRITIES),
    assurance: oneOrMore(ASSURANCES),
    fault: oneOrMore(VERDICT_FAULTS),
  })
  .partial()
  .refine((condition) => Object.keys(condition).length > 0, 'a rule needs at least one condition');
export type VerdictCondition = z.infer<typeof verdictConditionSchema>;

const ruleSchema = z.strictObject({
  id: nameSchema,
  about: z.string().min(1),
  /** Hard: what breaks the boundary, decided as reject or quarantine. Soft: what bends the intent. Left out: as its action is. */
  kind: z.enum(RULE_KINDS).optional(),
  when: textOr(z.string().min(1), verdictConditionSchema),
  decide: z.strictObject({
    action: z.enum(ACTIONS),
    /** A number, or an expression over the context as in `profile.weight`. */
    weight: textOr(z.string().min(1), share),
    flag: nameSchema.optional(),
    /** Whether a person is to look: always, never, or a share of them. */
    review: z.union([z.enum(['always', 'never']), z.strictObject({ sample: share })]).optional(),
  }),
});
export type Rule = z.infer<typeof ruleSchema>;

const givenSchema = z.strictObject({
  ...conditionVariables.verdict.partial().required({ outcome: true, integrity: true }).shape,
  assurance: z.enum(ASSURANCES).nullable().default('oracle'),
  fault: z.enum(VERDICT_FAULTS).default('none'),
  signals: conditionVariables.signals.default([]),
  profile: conditionVariables.profile
    .partial()
    .extend({ test_p: conditionVariables.profile.shape.test_p.partial().optional() })
    .optional(),
  session: conditionVariables.session.partial().optional(),
  judge: conditionVariables.judge.partial().optional(),
  task: conditionVariables.task.partial().optional(),
  run: conditionVariables.run.partial().optional(),
});
export type CaseGiven = z.infer<typeof givenSchema>;

const caseSchema = z.strictObject({
  name: z.string().min(1),
  given: givenSchema,
  expect: z.strictObject({
    action: z.enum(ACTIONS),
    weight: share,
    /** Rules that must fire; others may. */
    rules: z.array(z.string()).default([]),
    mask: z.boolean().optional(),
    flags: z.array(z.string()).optional(),
    review: z.enum(['always', 'none']).optional(),
  }),
});
export type PolicyCase = z.infer<typeof caseSchema>;

const limitSchema = z.strictObject({
  /** More than this share of a run's last samples is too many. */
  share,
  /** Samples of the run that are looked at; fewer say nothing. */
  at_least: z.int().min(1).max(10_000).default(50),
  /** Pause the run, or only sound the alarm. */
  do: z.enum(['pause', 'alarm']),
});
const guardSchema = z.strictObject({
  masked: limitSchema.optional(),
  rejected: limitSchema.optional(),
  flagged: limitSchema.optional(),
});
export type Guard = z.infer<typeof guardSchema>;

const appliesSchema = z
  .strictObject({
    tags: z.array(z.string().min(1)).min(1).optional(),
    runs: z.array(z.string().min(1).max(200)).min(1).optional(),
    phase: z.enum(['train', 'eval']).optional(),
  })
  .refine((applies) => Object.keys(applies).length > 0, 'says nothing: name tags, runs or a phase');

const valuesSchema = z.strictObject({
  confirmed_cheat: z.enum(['as-earned', 'zero', 'left-out']).optional(),
  timeout: z.enum(['zero', 'left-out']).optional(),
});

const glob = z.string().min(1).max(200);
const enforcedSchema = z
  .strictObject({
    id: nameSchema,
    about: z.string().min(1).max(500),
    /** An action before it is made, by name and a text that it holds; or what was recorded, by type, outcome and path. `*` is any text. */
    on: z.union([
      z.strictObject({ action: glob, contains: z.string().min(3).max(500) }),
      z.strictObject({ event: glob, outcome: glob.optional(), path: glob.optional() }),
    ]),
    do: z.enum(['refuse', 'end']),
    severity: z.enum(['suspect', 'violation']).optional(),
  })
  .refine(({ on, do: enforcement }) => 'action' in on || enforcement === 'end', {
    path: ['do'],
    message: 'what was recorded has happened: it can end a session, and not be refused',
  });
/** A rule that is enforced while a session runs. */
export type EnforcedRule = Readonly<z.infer<typeof enforcedSchema>>;

/** A policy file as it is written. What it leaves out it has from the policy that it extends, or from {@link DEFAULTS}. */
export const policyFileSchema = z
  .strictObject({
    id: policyNameSchema,
    version: z.int().min(1),
    about: z.string().min(1),
    extends: policyNameSchema.optional(),
    /** Where it does not apply, the policy that it extends decides, else `default`. */
    applies_to: appliesSchema.optional(),
    /** What becomes of rewards of tasks that no audit has admitted: refused when they are asked for, or paid all the same. */
    unadmitted: z.enum(['refuse', 'pay']).optional(),
    values: valuesSchema.optional(),
    /** Share of clean work that a person looks at, to know what the rules miss. */
    control_sample: share.optional(),
    guard: guardSchema.optional(),
    /** Enforced while a session runs, beside what no policy can lift. */
    enforce: z.array(enforcedSchema).max(500).optional(),
    rules: z.array(ruleSchema).max(MOST_RULES),
    cases: z.array(caseSchema).min(1).max(MOST_CASES),
  })
  .refine(({ rules, extends: base }) => rules.length > 0 || base !== undefined, {
    path: ['rules'],
    message: 'a policy that extends no other needs a rule',
  });
export type PolicyFile = z.infer<typeof policyFileSchema>;

/** What a policy says that nothing was said of. */
export const DEFAULTS = {
  unadmitted: 'refuse',
  values: { confirmed_cheat: 'zero', timeout: 'zero' },
  control_sample: 0,
  guard: {},
} as const;

/** A policy with all that it has from those that it extends. */
export interface PolicyRules {
  readonly id: string;
  readonly version: number;
  readonly about: string;
  readonly extends: string | null;
  readonly applies_to: z.infer<typeof appliesSchema> | null;
  readonly unadmitted: 'refuse' | 'pay';
  readonly values: Readonly<Required<z.infer<typeof valuesSchema>>>;
  readonly control_sample: number;
  readonly guard: Guard;
  readonly enforce: readonly EnforcedRule[];
  readonly rules: readonly Rule[];
  readonly cases: readonly PolicyCase[];
}

/** A rule that may be evaluated. */
export interface CompiledRule extends Omit<Rule, 'when' | 'kind'> {
  readonly kind: (typeof RULE_KINDS)[number];
  readonly when: Condition<boolean>;
  readonly weight: number | Condition<number>;
}

/** A policy with the digest of its source, by which decisions name it. */
export interface Policy {
  readonly rules: PolicyRules;
  readonly compiled: readonly CompiledRule[];
  readonly source: string;
  readonly digest: Digest;
}
