import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLED } from '../../src/bin/bundled.ts';
import { TINY_TOML, writeTinyTask } from './tiny-task.ts';
import { writeTree } from './write-tree.ts';

/** A policy that quarantines wrong work, so that tests have something to quarantine. */
const DOUBTFUL = `id: doubtful
version: 1
about: Quarantines what failed.
rules:
  - id: failed-is-kept-back
    about: For tests.
    when: { outcome: failed }
    decide: { action: quarantine, weight: 0 }
cases:
  - name: wrong is kept back
    given: { outcome: failed, integrity: clean, fault: subject }
    expect: { action: quarantine, weight: 0, rules: [failed-is-kept-back] }
`;

/** Writes tasks (`test/double`; `test/doubtful`, whose wrong work is quarantined; `test/many`, which takes more than one file) and their policies. */
export async function writeCompatTasks(folder: string) {
  await cp(BUNDLED.policyFolder, join(folder, 'policies'), { recursive: true });
  await writeTree(join(folder, 'policies'), { 'doubtful.yaml': DOUBTFUL });
  const doubtful = TINY_TOML.replace('test/double', 'test/doubtful').replace(
    'grader = "function"',
    'grader = "function"\npolicy = "doubtful"',
  );
  const many = TINY_TOML.replace('test/double', 'test/many').replace('["double.py"]', '["double.py", "*.txt"]');
  const tasks = [
    await writeTinyTask(join(folder, 'double')),
    await writeTinyTask(join(folder, 'doubtful'), { 'task.toml': doubtful }),
    await writeTinyTask(join(folder, 'many'), { 'task.toml': many }),
  ];
  return { tasks, policyFolder: join(folder, 'policies') };
}
