import { digestOfJson } from '../../platform/base/digest.ts';
import { asStored } from '../../platform/db/database.ts';
import { gradeDigest } from '../grade/grade.ts';
import { compareVerdicts, type Difference, type Ruling } from './compare-verdicts.ts';
import type { VerdictBody } from './verdict.ts';

/** What was ruled, and every digest that it rests on; null where nothing was graded. */
export interface RulingSummary {
  readonly outcome: VerdictBody['outcome'];
  readonly score: number;
  readonly digests: Readonly<
    Record<'verdict' | 'grade' | 'artifact', string> &
      Record<'task' | 'instance' | 'snapshot' | 'grader', string | null>
  >;
}

/** What came of grading a stored hand-in again. */
export interface RegradeReport {
  readonly verdictId: string;
  /** Whether everything is the same, apart from times and ids. */
  readonly same: boolean;
  readonly differences: readonly Difference[];
  readonly first: RulingSummary;
  readonly again: RulingSummary;
}

/** Reports on a verdict and on the ruling that the same hand-in got when it was graded again. Pure. */
export function regradeReport(verdictId: string, first: Ruling, again: Ruling): RegradeReport {
  const differences = compareVerdicts(first, again);
  return { verdictId, same: differences.length === 0, differences, first: summary(first), again: summary(again) };
}

function summary({ grade, verdict }: Ruling): RulingSummary {
  const { inputs } = grade;
  return {
    outcome: verdict.outcome,
    score: verdict.score,
    digests: {
      verdict: digestOfJson(asStored(verdict)),
      grade: gradeDigest(grade),
      artifact: verdict.basis.artifact,
      task: inputs?.task ?? null,
      instance: inputs?.instance ?? null,
      snapshot: inputs?.snapshot?.digest ?? null,
      grader: inputs?.grader.digest ?? null,
    },
  };
}
