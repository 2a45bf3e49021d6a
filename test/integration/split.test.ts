import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { auditSuite } from '../../src/bin/audit/audit-suite.ts';
import { awaitReward } from '../../src/pipeline/await-reward.ts';
import { submit } from '../../src/pipeline/submit.ts';
import { findLatestGrade } from '../../src/stages/grade/grade-store.ts';
import { REQUIRED_FILE, writeRequired } from '../../src/stages/grade/required-tests.ts';
import { saveInstance } from '../../src/stages/instance/instance-store.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { testService } from '../support/test-service.ts';
import { disposals, disposeAfterEach, tinyTask } from '../support/tiny-service.ts';

disposeAfterEach();

const SPLIT = fileURLToPath(new URL('../split', import.meta.url));

const SUITE = `import solution


def test_file(tmp_path):
    (tmp_path / "expected.txt").write_text("47 11")
    solution.write(str(tmp_path / "out.txt"))
    assert (tmp_path / "out.txt").read_text() == (tmp_path / "expected.txt").read_text()
`;
const OVERWRITING = `import os


def write(path):
    folder = os.path.dirname(path)
    for name in [*os.listdir(folder), "out.txt"]:
        with open(os.path.join(folder, name), "w") as file:
            file.write("x")
`;

test('a file that a test wrote as its expectation stays as it is', async () => {
  const { service, dispose } = await testService();
  disposals.push(dispose);
  const folder = await tinyTask({
    'task.toml':
      '[task]\nname = "test/files"\n[proctor]\ngrader = "pytest"\n[proctor.pytest]\nmodules = ["solution"]\n',
    ...{ 'environment/double.py': null, 'solution/double.py': null, 'tests/oracle.py': null },
    'environment/README': 'Write solution.py.\n',
    'tests/test_a.py': SUITE,
    [REQUIRED_FILE]: writeRequired({ 'test_a.py::test_file': { words: {}, uses: [] } }),
  });
  const task = await loadTask(folder);
  await saveTask(service.parts, task);
  const { id: instanceId } = await saveInstance(service.parts.database, makeInstance(task, { seed: 'files' }));
  const files = [{ path: 'solution.py', bytes: Buffer.from(OVERWRITING), executable: false }];
  const { id } = await submit(service.parts, service.pipeline, { instanceId, handIn: { files } });
  await awaitReward(service.parts.database, id);
  const grade = (await findLatestGrade(service.parts.database, id))?.body;
  expect(grade).toMatchObject({ kind: 'measured', passed: false, cases: [{ status: 'failed' }] });
});

/** The conformance suite of the split as a task: one of everything that a hidden suite may use. */
async function shapesTask(required: string | null): Promise<string> {
  const folder = await tinyTask({
    'task.toml': `[task]
name = "test/shapes"
[environment]
memory_mb = 256
storage_mb = 32
[proctor]
grader = "pytest"
[proctor.pytest]
modules = ["shapes"]
`,
    'environment/double.py': null,
    'solution/double.py': null,
    'tests/oracle.py': null,
    'tests/test_shapes.py': await readFile(join(SPLIT, 'tests/test_shapes.py'), 'utf8'),
    'tests/test_examples.txt': await readFile(join(SPLIT, 'tests/test_examples.txt'), 'utf8'),
    'environment/README': 'Write shapes.py.\n',
    ...(required === null ? {} : { [REQUIRED_FILE]: required }),
  });
  await cp(join(SPLIT, 'artifact'), join(folder, 'solution'), { recursive: true });
  return folder;
}

test('a hidden suite that uses one of everything passes through two sandboxes as it does in one process', async () => {
  const { service, dispose } = await testService();
  disposals.push(dispose);
  const folder = await shapesTask(null);
  const task = await loadTask(folder);
  await saveTask(service.parts, task);
  const { required, problems } = await auditSuite({ service, task, folder, seed: 'split' });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);

  const held = await shapesTask(writeRequired(required));
  const heldTask = await loadTask(held);
  await saveTask(service.parts, heldTask);
  const { id: instanceId } = await saveInstance(service.parts.database, makeInstance(heldTask, { seed: 'split' }));
  const { id } = await submit(service.parts, service.pipeline, {
    instanceId,
    handIn: { folder: join(SPLIT, 'artifact') },
  });
  await awaitReward(service.parts.database, id);
  const grade = (await findLatestGrade(service.parts.database, id))?.body;
  expect(grade).toMatchObject({ kind: 'measured', passed: true, assurance: 'oracle' });
});
