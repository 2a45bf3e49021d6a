import {
  type DecisionContext,
  NO_OPINION,
  NO_RUN,
  NO_SESSION,
  NO_TASK,
  type SessionContext,
  UNKNOWN_PROFILE,
} from './context.ts';
import { decide } from './decide.ts';
import type { DecisionBody } from './policy.ts';
import type { CaseGiven, Policy, PolicyCase } from './policy-file.ts';

/** What came of one of a policy's own cases. */
export interface CaseResult {
  readonly name: string;
  readonly decided: DecisionBody;
  /** Null when it is as expected. */
  readonly fault: string | null;
}

/** Decides each of a policy's cases. */
export function runCases(policy: Policy): readonly CaseResult[] {
  return policy.rules.cases.map((one) => {
    const decided = decide(caseContext(one.given), policy);
    return { name: one.name, decided, fault: faultOf(one, decided) };
  });
}

function faultOf({ name, expect }: PolicyCase, decided: DecisionBody): string | null {
  const fired = decided.rules.map(({ id }) => id);
  const asExpected =
    decided.action === expect.action &&
    decided.weight === expect.weight &&
    expect.rules.every((id) => fired.includes(id)) &&
    (expect.mask === undefined || expect.mask === decided.mask) &&
    (expect.flags === undefined || sameTexts(expect.flags, decided.flags)) &&
    (expect.review === undefined || expect.review === (decided.review ?? 'none'));
  if (asExpected) return null;
  const { action, weight, review } = decided;
  const errors = decided.rules.flatMap(({ error }) => (error === undefined ? [] : [`: ${error}`]));
  const asked = expect.review === undefined ? '' : `, review ${review ?? 'none'}`;
  return `case "${name}": decided ${action} with weight ${weight}${asked} (${fired.join(', ') || 'no rule'})${errors.join('')}`;
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.toSorted().join('\n') === other.toSorted().join('\n');
}

/** A whole context from what a case gives; what it leaves out is as for plain work outside of any session and run. */
export function caseContext(given: CaseGiven): DecisionContext {
  const { signals, profile, session, judge, task, run, assurance, ...verdict } = given;
  const plain: DecisionContext['verdict'] = {
    ...{ ...PLAIN_VERDICT, outcome: verdict.outcome, integrity: verdict.integrity },
    ...{ score: verdict.outcome === 'passed' ? 1 : 0, assurance: assurance ?? '' },
  };
  const inSession: SessionContext = { ...NO_SESSION, known: true, origin: 'workspace' };
  const { test_p: tests = {}, ...asked } = profile ?? {};
  const known = { ...UNKNOWN_PROFILE, known: true, test_p: filled(UNKNOWN_PROFILE.test_p, tests) };
  return {
    artifactId: 'case',
    verdict: filled(plain, verdict),
    signals,
    profile: profile === undefined ? null : filled(known, asked),
    session: session === undefined ? null : filled(inSession, session),
    judge: judge === undefined ? null : filled({ ...NO_OPINION, known: true }, judge),
    task: filled(NO_TASK, task ?? {}),
    run: filled(NO_RUN, run ?? {}),
  };
}

const PLAIN_VERDICT: Omit<DecisionContext['verdict'], 'outcome' | 'integrity' | 'assurance' | 'score'> = {
  ...{ fault: 'none', cases_passed: 0, cases_total: 0, cases_timed_out: 0, pinned: true, reason: '' },
};

function filled<T extends object>(base: T, given: { readonly [K in keyof T]?: T[K] | undefined }): T {
  return { ...base, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}
