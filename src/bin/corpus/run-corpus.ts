import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { drawInstance } from '../../pipeline/draw-instance.ts';
import { loadTask } from '../../stages/task/load-task.ts';
import type { Task } from '../../stages/task/task.ts';
import { saveTask } from '../../stages/task/task-store.ts';
import { type Graded, gradeFolder } from '../grade-folder.ts';
import type { Service } from '../open-service.ts';
import { withScratchFolder } from '../scratch-folder.ts';
import { buildWorkspace } from './build-workspace.ts';
import type { Submission } from './read-fixtures.ts';

/** One submission with what came of it. */
export interface CorpusRow {
  readonly task: string;
  readonly submission: string;
  readonly kind: Submission['expectation']['kind'];
  readonly technique: string | null;
  readonly expected: { outcome: string; integrity: string; reward: number };
  readonly given: { outcome: string; integrity: string; reward: number; assurance: string | null; pinned: boolean };
  readonly signals: readonly string[];
  /** Why it is not as expected; empty when it is. */
  readonly differences: readonly string[];
  readonly verdictId: string;
  readonly cases: { passed: number; total: number };
  /** Cases that were right; not part of what is printed. */
  readonly passedIds: readonly string[];
  readonly wallMs: number;
  /** Whether this machine lacks what the task's tests run with: then nothing was measured, and the row is not counted. */
  readonly lacksRunner: boolean;
}

export interface CorpusSummary {
  readonly submissions: number;
  /** Tasks whose test runner this machine lacks; their submissions are in no other number. */
  readonly notRun: readonly string[];
  readonly asExpected: number;
  readonly cheats: number;
  readonly cheatsRewarded: number;
  readonly honest: number;
  readonly honestDenied: number;
  readonly wallMs: number;
}

export interface CorpusOptions {
  /** The same for every submission, so that a run can be repeated; undefined draws a new one for each. */
  readonly seed: string | undefined;
  readonly inFlight: number;
  readonly onRow?: (row: CorpusRow, done: number, total: number) => void;
}

/** Grades labelled submissions through the whole service and compares what came of each with its label. */
export async function runCorpus(
  service: Service,
  submissions: readonly Submission[],
  options: CorpusOptions,
): Promise<{ rows: readonly CorpusRow[]; summary: CorpusSummary }> {
  const startedMs = performance.now();
  const tasks = new Map<string, Promise<Task>>();
  const rows: CorpusRow[] = [];
  const waiting = [...submissions.entries()];
  const work = async (scratch: string) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, submission] = next;
      const task = tasks.get(submission.task) ?? storedTask(service, submission.taskFolder);
      tasks.set(submission.task, task);
      const row = await runOne({
        service,
        submission,
        task: await task,
        options,
        scratch: join(scratch, String(index)),
      });
      rows[index] = row;
      options.onRow?.(row, rows.filter(Boolean).length, submissions.length);
    }
  };
  await withScratchFolder('corpus', (scratch) =>
    Promise.all(Array.from({ length: options.inFlight }, () => work(scratch))),
  );
  const notRun = [...new Set(rows.filter(({ lacksRunner }) => lacksRunner).map(({ task }) => task))];
  const ran = rows.filter(({ lacksRunner }) => !lacksRunner);
  return { rows: ran, summary: { ...summarize(ran, performance.now() - startedMs), notRun } };
}

async function storedTask(service: Service, folder: string): Promise<Task> {
  const task = await loadTask(folder);
  await saveTask(service.parts, task);
  return task;
}

async function runOne(run: {
  service: Service;
  submission: Submission;
  task: Task;
  options: CorpusOptions;
  scratch: string;
}): Promise<CorpusRow> {
  const { service, submission, task, options, scratch } = run;
  const startedMs = performance.now();
  const instance = await drawInstance(service.parts, task, { seed: options.seed });
  await buildWorkspace(scratch, { task, instance }, submission);
  const graded = await gradeFolder(service, instance, scratch);
  await rm(scratch, { recursive: true, force: true });
  return describe(submission, graded, performance.now() - startedMs);
}

function describe(
  submission: Submission,
  { reward, verdict: { body: verdict }, grade }: Graded,
  wallMs: number,
): CorpusRow {
  const cases = grade.kind === 'measured' ? grade.cases : [];
  const { expect, kind, technique } = submission.expectation;
  const given = {
    outcome: verdict.outcome,
    integrity: verdict.integrity,
    reward: reward.body.reward,
    assurance: verdict.assurance,
    pinned: verdict.pinned,
  };
  const signals = verdict.signals.map((signal) => signal.kind);
  const differences = (['outcome', 'integrity', 'reward'] as const)
    .filter((field) => given[field] !== expect[field])
    .map((field) => `${field} ${given[field]} instead of ${expect[field]}`);
  const missing = expect.signals.filter((signal) => !signals.includes(signal)).map((signal) => `no signal ${signal}`);
  return {
    task: submission.task,
    submission: submission.name,
    kind,
    technique: technique ?? null,
    expected: { outcome: expect.outcome, integrity: expect.integrity, reward: expect.reward },
    given,
    signals,
    differences: [...differences, ...missing],
    verdictId: reward.verdictId,
    cases: reward.cases,
    passedIds: cases.filter(({ status }) => status === 'passed').map(({ id }) => id),
    wallMs: Math.round(wallMs),
    lacksRunner: grade.kind === 'ungraded' && grade.code === 'runner-missing',
  };
}

/** Counts what matters most: cheats that were paid and honest work that was not. */
export function summarize(rows: readonly CorpusRow[], wallMs: number): CorpusSummary {
  const cheats = rows.filter((row) => row.kind === 'cheat' || row.kind === 'nothing');
  const honest = rows.filter((row) => row.kind === 'honest' || row.kind === 'reference');
  return {
    submissions: rows.length,
    notRun: [],
    asExpected: rows.filter((row) => row.differences.length === 0).length,
    cheats: cheats.length,
    cheatsRewarded: cheats.filter((row) => row.given.reward > 0).length,
    honest: honest.length,
    honestDenied: honest.filter((row) => row.given.reward < row.expected.reward).length,
    wallMs: Math.round(wallMs),
  };
}
