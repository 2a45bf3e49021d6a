import type { InstanceRow, WorkspaceFile } from '../instance/instance.ts';
import { renderFiles } from '../instance/render-file.ts';
import { GENERATOR_FILE } from '../task/instance-settings.ts';
import type { Task } from '../task/task.ts';

const TESTS = 'tests/';

/** The files of tests/ as an instance has them; what made its parameters is not one of the tests. */
export function testFilesOf(task: Task, { parameters }: Pick<InstanceRow, 'parameters'>): readonly WorkspaceFile[] {
  const files = task.files.filter(({ path }) => path.startsWith(TESTS) && path !== GENERATOR_FILE);
  return renderFiles(files, parameters);
}

/** Whether the tests of a task are others for each instance. */
export function testsVary({ files }: Task): boolean {
  return files.some(({ path }) => path.startsWith(TESTS) && (path.endsWith('.tmpl') || path.includes('{{')));
}
