import { ProctorError } from '../../platform/base/errors.ts';
import { inCandidatePhase } from './candidate-phase.ts';
import type { CaseResult } from './grade.ts';
import { outOfTime } from './grade-stdio.ts';
import type { HiddenResult, HiddenRun, RunHidden } from './hidden-run.ts';
import { type RequiredTests, readRequired } from './required-tests.ts';
import { type SuiteMessage, type SuiteRun, startSuite } from './suite-run.ts';
import { testFilesOf } from './test-files.ts';

/** Processes of the candidate that may be lost in one grade before the rest is given up. */
const MOST_LOSSES = 40;
/** pytest.ExitCode */
const INTERNAL_ERROR = 3;
const USAGE_ERROR = 4;

/** One test as the examiner saw it. */
export type SuiteResult = Extract<SuiteMessage, { kind: 'result' }>;

/** What one run of a suite told. */
export interface SuiteReport {
  readonly collected: readonly string[];
  /** Files that could not be collected, with why. */
  readonly problems: readonly { id: string; note: string }[];
  readonly results: readonly SuiteResult[];
  /** Whether all was run: false when the grade's time was over, or too many processes were lost. */
  readonly complete: boolean;
}

/**
 * Hidden pytest suites, unmodified: the tests run in the examiner, every module of the artifact in the candidate's sandbox,
 * and only plain values and references cross between the two.
 */
export const runPytestSuite: RunHidden = async (run) => {
  const required = readRequired(run.task.files);
  const report = await runSuite(run, { record: false, required });
  return gradeReport(report, required);
};

/** Runs a suite and gives all that was told. `record` takes the candidate's word everywhere: for the reference only. */
export async function runSuite(
  run: HiddenRun,
  options: { record: boolean; required: RequiredTests | null },
): Promise<SuiteReport> {
  const files = testFilesOf(run.task, run.instance);
  for (const file of files) await run.examinerBox.writeFile(file.path, file.bytes, file.mode);
  const suite = await startSuite(run, { files, ...options });
  try {
    return await inCandidatePhase(() => hear(run, suite));
  } finally {
    await suite.close();
  }
}

async function hear(run: HiddenRun, suite: SuiteRun): Promise<SuiteReport> {
  const results: SuiteResult[] = [];
  let collected: readonly string[] = [];
  let problems: SuiteReport['problems'] = [];
  let losses = 0;
  for (;;) {
    const message = await suite.next();
    if (message === null) return { collected, problems, results, complete: false };
    if (message.kind === 'done') {
      const unread = unreadable({ collected, problems }, message);
      return { collected, problems: [...problems, ...unread], results, complete: true };
    }
    if (message.kind === 'collected') {
      collected = message.ids;
      problems = message.problems;
      run.endPhase('collect');
    } else if (message.kind === 'result') {
      results.push(message);
    } else if (++losses > MOST_LOSSES) {
      return { collected, problems, results, complete: false };
    } else {
      await suite.renew();
    }
  }
}

/**
 * A suite of which nothing could be run: the artifact's doing when it was imported by then (a conftest imports it, and it
 * raises), and else the task's own.
 */
function unreadable(
  { collected, problems }: Pick<SuiteReport, 'collected' | 'problems'>,
  { exit, asked }: { exit: number; asked: number },
): SuiteReport['problems'] {
  const broken = exit === INTERNAL_ERROR || exit === USAGE_ERROR;
  if (!broken && (collected.length > 0 || problems.length > 0)) return [];
  if (asked > 0) return [{ id: 'tests', note: 'the suite could not be read: it imports the artifact, which failed' }];
  throw new ProctorError('oracle-failed', `pytest found no tests in tests/ (exit code ${exit})`);
}

/** What a report means: the required tests, or all that were collected where the task names none. */
export function gradeReport(report: SuiteReport, required: RequiredTests | null): HiddenResult {
  const ids = required === null ? [...report.collected, ...report.problems.map(({ id }) => id)] : Object.keys(required);
  const results = report.results.map(caseOf);
  const failedFiles = report.problems.map(({ id, note }): CaseResult => ({ id, status: 'failed', note, wallMs: 0 }));
  const told = new Set([...results, ...failedFiles].map(({ id }) => id));
  const rest = report.complete ? [] : ids.filter((id) => !told.has(id)).map(outOfTime);
  const believed = required === null && report.results.some(({ words }) => Object.keys(words).length > 0);
  return {
    required: [...new Set(ids)],
    results: [...results, ...failedFiles, ...rest],
    // beyond what the reference needed no answer of the candidate's is taken on trust
    assurance: believed ? 'witnessed' : 'oracle',
  };
}

function caseOf({ id, status, note, wallMs }: SuiteResult): CaseResult {
  return { id, status, note, wallMs };
}
