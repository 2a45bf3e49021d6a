import { z } from 'zod';
import { idPattern } from '../../platform/base/ids.ts';
import { RUN_STATES } from '../run/run.ts';
import { SESSION_ORIGINS, SESSION_OUTCOMES } from '../session/session.ts';
import { SEVERITIES } from '../signal/signal.ts';
import { INTEGRITIES, OUTCOMES, VERDICT_FAULTS } from '../verdict/verdict.ts';

const text = (about: string) => z.string().max(2_000).describe(about);
const share = (about: string) => z.number().min(0).max(1).describe(about);

/** Signals that a context holds; the severest ones are kept, so that a rule looks at a bounded list. */
export const MOST_SIGNALS = 500;

const verdictSchema = z.strictObject({
  outcome: z.enum(OUTCOMES).describe('what was measured'),
  integrity: z.enum(INTEGRITIES).describe('whether it is honest'),
  assurance: z.enum(['', 'oracle', 'witnessed', 'plain']).describe('how sure the measurement is; "" for none'),
  fault: z.enum(VERDICT_FAULTS).describe('whose fault a result that is not passed is'),
  score: share('what the work earned, before any policy'),
  cases_passed: z.int().min(0).describe('cases that passed'),
  cases_total: z.int().min(0).describe('cases that were run'),
  cases_timed_out: z.int().min(0).describe('cases that took too long'),
  pinned: z.boolean().describe('whether the environment is named by a digest'),
  reason: text('why there is no grade, or why a hand-in was refused; "" for none'),
});

const signalSchema = z.strictObject({
  kind: text('as the detector is named'),
  severity: z.enum(SEVERITIES).describe('how much it weighs'),
});

const profileSchema = z.strictObject({
  known: z.boolean().describe('whether there is a profile with a reference'),
  p: share('how odd the session is beside honest ones; 1.0 where it is not known'),
  weight: share('what the profile proposes; 1.0 where it is not known'),
  leading: z.enum(['', 'A', 'R', 'S', 'G']).describe('the test that found most; "" for none'),
  review: z.boolean().describe('whether the profile asks for a person'),
  reason: text('why the weight is as it is'),
  cohort: text('whom it is compared with; "" for nobody'),
  test_p: z.strictObject({
    a: share('of the test of access; 1.0 where it is not known'),
    r: share('of the test of rarity; 1.0 where it is not known'),
    s: share('of the test of shape; 1.0 where it is not known'),
    g: share('of the test within the group; 1.0 where it is not known'),
  }),
});

const sessionSchema = z.strictObject({
  known: z.boolean().describe('whether a session handed this in'),
  origin: z.enum(['', ...SESSION_ORIGINS]).describe('who ran the sandbox; "" for no session'),
  outcome: z.enum(['', ...SESSION_OUTCOMES]).describe('how it ended; "" while it is open'),
  fault: z.enum(VERDICT_FAULTS).describe('whose doing a failure was'),
  steps: z.int().min(0).describe('steps that it took'),
  recorded: z.boolean().describe('whether a recorder saw its steps'),
});

const judgeSchema = z.strictObject({
  known: z.boolean().describe('whether a language model gave an opinion'),
  suspicion: share('how sure it is of a cheat; 0.0 where it is not known'),
  technique: text('what it calls the cheat; "" for none'),
});

const taskSchema = z.strictObject({
  name: text('of the task; "" where it cannot be read'),
  tags: z.array(text('one keyword')).max(200).describe('keywords of the task'),
  grader: text('how answers are judged; "" where it is not known'),
});

const runSchema = z.strictObject({
  id: text('of the run, as the trainer names it; "" for none'),
  step: z.int().min(-1).describe('the trainer’s step; -1 where it was not said'),
  phase: z.enum(['train', 'eval']).describe('what it is for'),
  policy_version: text('of the model that acted; "" where it was not said'),
  state: z.enum(['', ...RUN_STATES]).describe('of the run when this was decided; "" for no run'),
});

/** What the conditions of a rule may name, and nothing else: the types of conditions are made from this schema. */
export const conditionVariables = {
  verdict: verdictSchema,
  signals: z.array(signalSchema).max(MOST_SIGNALS),
  profile: profileSchema,
  session: sessionSchema,
  judge: judgeSchema,
  task: taskSchema,
  run: runSchema,
} as const;

/**
 * All that a decision rests on. Stored with it, so that it can be derived again and other policies can be tried on it. `artifactId`
 * feeds draws and is not for conditions. What is null is seen by conditions as {@link UNKNOWN_PROFILE}, {@link NO_SESSION} and {@link NO_OPINION}.
 */
export const decisionContextSchema = z.strictObject({
  artifactId: z.union([z.string().regex(idPattern('sub')), z.literal('case')]),
  ...conditionVariables,
  profile: profileSchema.nullable(),
  session: sessionSchema.nullable(),
  judge: judgeSchema.nullable(),
});
export type DecisionContext = Readonly<z.infer<typeof decisionContextSchema>>;
export type ProfileContext = NonNullable<DecisionContext['profile']>;
export type JudgeContext = NonNullable<DecisionContext['judge']>;
export type SessionContext = NonNullable<DecisionContext['session']>;

/** What conditions see where there is no profile: nothing odd is known. */
export const UNKNOWN_PROFILE: ProfileContext = {
  ...{ known: false, p: 1, weight: 1, leading: '', review: false, reason: 'unknown', cohort: '' },
  test_p: { a: 1, r: 1, s: 1, g: 1 },
};

/** What conditions see where no session handed the work in. */
export const NO_SESSION: SessionContext = {
  ...{ known: false, origin: '', outcome: '', fault: 'none', steps: 0, recorded: false },
};

/** What conditions see where no judge was asked, or none gave an answer. */
export const NO_OPINION: JudgeContext = { known: false, suspicion: 0, technique: '' };

/** Of a task that cannot be read, and of what belongs to no run. */
export const NO_TASK: DecisionContext['task'] = { name: '', tags: [], grader: '' };
export const NO_RUN: DecisionContext['run'] = { id: '', step: -1, phase: 'train', policy_version: '', state: '' };
