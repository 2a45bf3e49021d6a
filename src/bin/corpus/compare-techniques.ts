import { join } from 'node:path';
import type { SandboxDriver } from '../../platform/sandbox/sandbox.ts';
import { makeInstance } from '../../stages/instance/make-instance.ts';
import { loadTask } from '../../stages/task/load-task.ts';
import { withScratchFolder } from '../scratch-folder.ts';
import { type BaselineRow, runBaselines } from './baselines/run-baselines.ts';
import { buildWorkspace } from './build-workspace.ts';
import type { Submission } from './read-fixtures.ts';
import type { CorpusRow } from './run-corpus.ts';
import type { ComparedCheat, Fooled } from './technique-table.ts';

/** Cheats of pytest tasks that Proctor has graded, to be put before two ordinary graders too. */
export interface Comparison {
  readonly submissions: readonly Submission[];
  /** Of the same submissions and the task's `nothing`, with the same seed. */
  readonly rows: readonly CorpusRow[];
  readonly seed: string;
  readonly onRow: (name: string, done: number, total: number) => void;
}

/** Runs every cheat as a plain and as a hardened in-process grader would, on the same instances, and sets the three side by side. */
export async function compareTechniques(
  driver: SandboxDriver,
  comparison: Comparison,
): Promise<readonly ComparedCheat[]> {
  const cheats = comparison.submissions.filter(({ expectation }) => expectation.kind === 'cheat');
  const compared: ComparedCheat[] = [];
  for (const folder of [...new Set(cheats.map(({ taskFolder }) => taskFolder))]) {
    const own = cheats.filter(({ taskFolder }) => taskFolder === folder);
    const onDone = (name: string) => comparison.onRow(name, compared.length, cheats.length);
    const baselines = await baselinesOf(driver, folder, { own, seed: comparison.seed, onDone });
    for (const submission of own) compared.push(compare(submission, baselines, comparison.rows));
  }
  return compared;
}

async function baselinesOf(
  driver: SandboxDriver,
  folder: string,
  { own, seed, onDone }: { own: readonly Submission[]; seed: string; onDone: (name: string) => void },
): Promise<readonly BaselineRow[]> {
  const task = await loadTask(folder);
  const instance = makeInstance(task, { seed });
  return withScratchFolder('techniques', async (scratch) => {
    const submissions = [];
    for (const submission of own) {
      const workspace = join(scratch, submission.name);
      await buildWorkspace(workspace, { task, instance }, submission);
      submissions.push({ name: submission.name, workspace });
    }
    return runBaselines(driver, { task, instance, submissions }, (row) => onDone(`${task.name} ${row.submission}`));
  });
}

function compare(submission: Submission, baselines: readonly BaselineRow[], rows: readonly CorpusRow[]): ComparedCheat {
  const of = (setUp: BaselineRow['setUp']): Fooled => {
    const row = baselines.find((each) => each.submission === submission.name && each.setUp === setUp);
    if (row === undefined) throw new Error(`no ${setUp} run of ${submission.name}`);
    return row.green ? 'whole' : row.anyGreen ? 'some' : 'none';
  };
  const { task, name, expectation } = submission;
  return {
    ...{ task, submission: name, technique: expectation.technique ?? 'unnamed' },
    ...{ plain: of('plain'), hardened: of('hardened'), proctor: proctorFooled(submission, rows) },
  };
}

/** By the same measure: rewarded, or a required test passed that a hollow hand-in fails. */
function proctorFooled(submission: Submission, rows: readonly CorpusRow[]): Fooled {
  const find = (name: string) => rows.find((row) => row.task === submission.task && row.submission === name);
  const row = find(submission.name);
  const hollow = find('nothing');
  if (row === undefined || hollow === undefined)
    throw new Error(`${submission.task}/${submission.name} was not graded`);
  if (row.given.reward > 0) return 'whole';
  return row.passedIds.some((id) => !hollow.passedIds.includes(id)) ? 'some' : 'none';
}
