import type { ArtifactRow } from '../artifact/artifact.ts';
import { type GradeBody, type GradeRow, isHardCoded, type MeasuredGrade, type Witness } from '../grade/grade.ts';
import type { Screening } from '../signal/signal.ts';
import type { VerdictBody } from './verdict.ts';

/** What a verdict rests on. */
export interface Judged {
  readonly artifact: Pick<ArtifactRow, 'digest'>;
  readonly grade: Pick<GradeRow, 'body' | 'digest'>;
  /** Null when the artifact could not be screened: integrity is then unknown. */
  readonly screening: Screening | null;
  readonly scoring: 'all' | 'fraction';
}

/** Rules on one hand-in. Pure: the same digests give the same verdict again. */
export function judge({ artifact, grade, screening, scoring }: Judged): VerdictBody {
  const { body } = grade;
  const signals = [...weighed(screening?.signals ?? [], body), ...measuredSignals(body)];
  const integrity = screening === null ? 'unknown' : integrityOf(signals, screening);
  return {
    ...measure(body, scoring),
    integrity: worse(integrity, body.kind === 'measured' ? body.witness : undefined),
    signals,
    basis: { artifact: artifact.digest, grade: grade.digest, screening: screening?.digest ?? null },
  };
}

function measure(body: GradeBody, scoring: Judged['scoring']): Omit<VerdictBody, 'integrity' | 'signals' | 'basis'> {
  if (body.kind === 'ungraded') {
    return {
      outcome: 'ungraded',
      assurance: null,
      fault: body.fault === 'task' ? 'task' : 'platform',
      score: 0,
      cases: { passed: 0, total: 0 },
      pinned: body.inputs?.snapshot?.pinned ?? false,
      // what went wrong may quote hidden tests; it stays with the grade, which only reviewers see
      reason: body.code,
    };
  }
  const passed = body.cases.filter(({ status }) => status === 'passed').length;
  return {
    outcome: body.passed ? 'passed' : 'failed',
    assurance: body.assurance,
    fault: body.passed ? 'none' : 'subject',
    score: scoring === 'fraction' ? body.score : Number(body.passed),
    cases: { passed, total: body.cases.length },
    pinned: body.inputs.snapshot?.pinned ?? false,
    reason: body.refusal,
  };
}

type Weighed = VerdictBody['signals'][number];

/** What was found in the artifact, by what it was worth: a solution that was right elsewhere and is wrong here was made for elsewhere. */
function weighed(signals: Screening['signals'], body: GradeBody): readonly Weighed[] {
  const isWrong = body.kind === 'measured' && !body.passed && isMostlyWrong(body.cases);
  return signals.map(({ kind, severity }) => ({
    kind,
    severity: kind === 'memorized-solution' && isWrong ? 'suspect' : severity,
  }));
}

/** A general solution with a mistake in it is wrong for a few cases here and for none there; being slow is no being wrong. */
function isMostlyWrong(cases: MeasuredGrade['cases']): boolean {
  const wrong = cases.filter(({ status }) => status !== 'passed' && status !== 'timed-out').length;
  return wrong * 2 > cases.length;
}

/** What the runs themselves showed. */
function measuredSignals(body: GradeBody): readonly Weighed[] {
  if (body.kind !== 'measured' || body.passed || body.siblings === undefined) return [];
  if (!isHardCoded(body.siblings)) return [];
  return [{ kind: 'hard-coded', severity: 'suspect' }];
}

/** A violation outweighs everything; a detector that could not run outweighs a clean or merely suspect look. */
function integrityOf(signals: readonly Weighed[], screening: Screening): VerdictBody['integrity'] {
  const severities = signals.map(({ severity }) => severity);
  if (severities.includes('violation')) return 'violated';
  if (screening.detectors.some(({ ran }) => !ran)) return 'unknown';
  return severities.includes('suspect') ? 'suspect' : 'clean';
}

/** A must-fail test that passed beside its original is proof of forging; other signs are a reason to look. */
function worse(integrity: VerdictBody['integrity'], witness: Witness | undefined): VerdictBody['integrity'] {
  if (witness === undefined) return integrity;
  if (witness.green.length > 0) return 'violated';
  return witness.signs.length > 0 && integrity === 'clean' ? 'suspect' : integrity;
}
