import type { Task } from '../task/task.ts';
import { type ExaminerProcess, startExaminerProcess } from './examiner.ts';
import type { GradeParts } from './grade-artifact.ts';
import { examinerLimits } from './sandbox-limits.ts';

/** Where an examiner runs that grades nothing. */
export type ExaminerParts = Pick<GradeParts, 'driver' | 'tools' | 'snapshots'>;

/** Starts the examiner of a task in a sealed sandbox of its own for `use`, and destroys it, whatever came of it. */
export async function withExaminer<T>(
  { driver, tools, snapshots }: ExaminerParts,
  task: Task,
  use: (examiner: ExaminerProcess) => Promise<T>,
): Promise<T> {
  const { isolation, snapshot } = task.definition.proctor;
  const { root } = await snapshots.resolve(snapshot);
  const box = await driver.create({ root, isolation, limits: examinerLimits(task), tools: tools.examiner });
  try {
    return await use(await startExaminerProcess(box, task));
  } finally {
    await box.destroy();
  }
}
