import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { type Parameters, parameterValueSchema } from '../instance/instance.ts';
import type { Task } from '../task/task.ts';
import { type ExaminerParts, withExaminer } from './with-examiner.ts';

const GENERATE_MS = 30_000;

const generatedSchema = z.union([
  z.object({ values: z.record(z.string(), parameterValueSchema) }),
  z.object({ failed: z.string() }),
]);

/**
 * Runs a task's own generator in a sealed sandbox and gives what it drew from the seed. `oracle-failed` when it cannot, and for a value
 * that is no parameter.
 */
export async function runGenerator(
  parts: ExaminerParts,
  task: Task,
  {
    parameters,
    seed,
    gives,
  }: { readonly parameters: Parameters; readonly seed: string; readonly gives: readonly string[] },
): Promise<Parameters> {
  return withExaminer(parts, task, async ({ ask, explain }) => {
    const request = { op: 'generate', parameters, seed: `generate/${seed}`, gives };
    const answer = await ask(request, GENERATE_MS).catch(explain('tests/generate.py: generate()'));
    const drawn = generatedSchema.safeParse(answer);
    if (!drawn.success) throw new ProctorError('oracle-failed', 'tests/generate.py: generate() gave no parameters');
    if ('failed' in drawn.data) throw new ProctorError('oracle-failed', drawn.data.failed);
    return drawn.data.values;
  });
}
