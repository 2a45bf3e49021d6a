import { z } from 'zod';
import { digestOf, digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import type { InstanceRow } from '../instance/instance.ts';
import type { Task } from '../task/task.ts';
import { REQUIRED_FILE } from './required-tests.ts';
import { testFilesOf } from './test-files.ts';
import { type ExaminerParts, withExaminer } from './with-examiner.ts';

/** Parameters that are sent to the examiner at once. */
const BATCH = 50;
const BATCH_MS = 60_000;

const digestsSchema = z.union([z.object({ digests: z.array(z.string()) }), z.object({ failed: z.string() })]);

/**
 * A digest of what is right for each of some instances: two that are equal have the same answers, so that who knows the one knows the
 * other. Of an oracle, what it asks and expects with the same numbers drawn; of a suite, its tests as they are filled. `oracle-failed`.
 */
export async function digestAnswers(
  parts: ExaminerParts,
  task: Task,
  instances: readonly Pick<InstanceRow, 'parameters'>[],
): Promise<readonly string[]> {
  const { grader } = task.definition.proctor;
  if (grader === 'pytest' || grader === 'native') return instances.map((instance) => digestOfTests(task, instance));
  return withExaminer(parts, task, async ({ ask, explain }) => {
    const digests: string[] = [];
    for (let at = 0; at < instances.length; at += BATCH) {
      const sets = instances.slice(at, at + BATCH).map(({ parameters }) => parameters);
      const late = explain('tests/oracle.py: cases() and expected()');
      const told = digestsSchema.parse(await ask({ op: 'digests', sets, seed: 'digests' }, BATCH_MS).catch(late));
      if ('failed' in told) throw new ProctorError('oracle-failed', told.failed);
      digests.push(...told.digests);
    }
    return digests;
  });
}

function digestOfTests(task: Task, instance: Pick<InstanceRow, 'parameters'>): string {
  const files = testFilesOf(task, instance).filter(({ path }) => path !== REQUIRED_FILE);
  return digestOfJson(files.map(({ path, bytes }) => ({ path, sha256: digestOf(bytes) })));
}
