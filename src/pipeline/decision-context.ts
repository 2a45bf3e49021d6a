import type { Database } from '../platform/db/database.ts';
import type { GradeRow } from '../stages/grade/grade.ts';
import { findGrade } from '../stages/grade/grade-store.ts';
import { findOpinion } from '../stages/opinion/opinion-store.ts';
import {
  type DecisionContext,
  MOST_SIGNALS,
  NO_RUN,
  NO_TASK,
  type ProfileContext,
  type SessionContext,
} from '../stages/policy/context.ts';
import type { ProfileRow } from '../stages/profile/profile.ts';
import { findLatestProfile } from '../stages/profile/profile-store.ts';
import { findLabels, findRun } from '../stages/run/run-store.ts';
import { findLastStep } from '../stages/session/session-list-store.ts';
import { findSession } from '../stages/session/session-store.ts';
import { SEVERITIES } from '../stages/signal/signal.ts';
import type { Task } from '../stages/task/task.ts';
import type { VerdictRow } from '../stages/verdict/verdict.ts';

/** A verdict with what is at hand beside it. */
export interface DecidedOn {
  readonly verdict: VerdictRow;
  /** Read where it is not at hand. */
  readonly grade: GradeRow | undefined;
  /** Null where it was not graded: its task may not be readable. */
  readonly task: Pick<Task, 'name' | 'definition'> | null;
  /** The session that handed in; null: none did, so there is neither profile nor opinion. */
  readonly sessionId: string | null;
  /** Read where it is not at hand. */
  readonly profile: ProfileRow | undefined;
}

/** All that a decision on a verdict rests on, from stored rows. `not-found`, `digest-mismatch`. */
export async function decisionContext(
  { database }: { readonly database: Database },
  { verdict, grade, task, sessionId, profile }: DecidedOn,
): Promise<DecisionContext> {
  const { artifactId, body } = verdict;
  const { outcome, integrity, fault, score, cases, pinned } = body;
  return {
    artifactId,
    verdict: {
      ...{ outcome, integrity, fault, score, pinned, assurance: body.assurance ?? '', reason: body.reason ?? '' },
      ...{ cases_passed: cases.passed, cases_total: cases.total },
      cases_timed_out: outcome === 'failed' ? timedOut(grade ?? (await findGrade(database, verdict.gradeId))) : 0,
    },
    signals: signalsOf(body.signals),
    ...(sessionId === null
      ? { profile: null, session: null, judge: null }
      : {
          profile: profileOf(profile ?? (await findLatestProfile(database, artifactId))),
          session: await sessionOf(database, sessionId),
          judge: await opinionOf(database, artifactId),
        }),
    task: task === null ? NO_TASK : taskOf(task),
    run: await runOf(database, artifactId),
  };
}

function timedOut({ body }: Pick<GradeRow, 'body'>): number {
  return body.kind === 'measured' ? body.cases.filter(({ status }) => status === 'timed-out').length : 0;
}

/** The severest first, so that a flood of notes hides nothing. What no version of ours calls a severity counts as the worst. */
function signalsOf(signals: VerdictRow['body']['signals']): DecisionContext['signals'] {
  return signals
    .map(({ kind, severity }) => ({ kind, severity: SEVERITIES.find((known) => known === severity) ?? 'violation' }))
    .sort((one, other) => SEVERITIES.indexOf(other.severity) - SEVERITIES.indexOf(one.severity))
    .slice(0, MOST_SIGNALS);
}

function profileOf(row: ProfileRow | null): ProfileContext | null {
  if (row === null || row.body.reference === null) return null;
  const { p, testP, leading, weight, review, reason, cohort } = row.body;
  return {
    ...{ known: true, p: p ?? 1, leading: leading ?? '', weight, review, reason, cohort },
    test_p: { a: testP.A ?? 1, r: testP.R ?? 1, s: testP.S ?? 1, g: testP.G ?? 1 },
  };
}

async function opinionOf(database: Database, artifactId: string): Promise<DecisionContext['judge']> {
  const answer = (await findOpinion(database, artifactId))?.answer ?? null;
  return answer === null ? null : { known: true, suspicion: answer.suspicion, technique: answer.technique };
}

async function sessionOf(database: Database, id: string): Promise<SessionContext> {
  const { origin, body } = await findSession(database, id);
  const recorded = body.recorder.backend !== 'none';
  // its end is stored only after its hand-in, which may be decided on by then: what handed in has finished
  return { known: true, origin, recorded, outcome: 'finished', fault: 'none', steps: await findLastStep(database, id) };
}

function taskOf({ name, definition }: Pick<Task, 'name' | 'definition'>): DecisionContext['task'] {
  const keywords = definition.task.keywords ?? [];
  return { name, tags: keywords.slice(0, 200).map((tag) => tag.slice(0, 200)), grader: definition.proctor.grader };
}

async function runOf(database: Database, artifactId: string): Promise<DecisionContext['run']> {
  const { run, step, phase, policyVersion } = await findLabels(database, artifactId);
  if (run === null) return { ...NO_RUN, phase, step: step ?? -1, policy_version: policyVersion ?? '' };
  const { state } = await findRun(database, run);
  return { id: run, step: step ?? -1, phase, policy_version: policyVersion ?? '', state };
}
