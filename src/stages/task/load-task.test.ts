import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { checkTask } from './check-task.ts';
import { describeProblem, loadTask, taskFromFiles } from './load-task.ts';

const FIXTURES = ['clean-orders', 'fix-ledger', 'implement-slugify', 'parse-config', 'shortest-route', 'wordtool'];
const fixture = (name: string) => fileURLToPath(new URL(`../../../fixtures/${name}`, import.meta.url));

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  const folder = join(scratch.path, 'my-task');
  await mkdir(join(folder, 'tests'), { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  return folder;
}

const SOUND = {
  'task.toml': '[proctor]\ngrader = "stdio"\n[proctor.stdio]\ncommand = ["true"]\n',
  'instruction.md': 'Do it.\n',
  'tests/oracle.py': '',
};

test.each(FIXTURES)('the fixture %s loads without a problem', async (name) => {
  const task = await loadTask(fixture(name));
  expect(task.name).toBe(`proctor/${name}`);
  expect((await checkTask(fixture(name))).problems).toEqual([]);
});

test('a task without a name gets that of its folder', async () => {
  expect((await loadTask(await folderWith(SOUND))).name).toBe('my-task');
});

test('a warning does not stop a task', async () => {
  const folder = await folderWith({ ...SOUND, 'task.toml': `odd = 1\n${SOUND['task.toml']}` });
  expect((await loadTask(folder)).definition.proctor.grader).toBe('stdio');
});

test('a broken task is refused with everything that is wrong, line by line', async () => {
  const folder = await folderWith({
    'task.toml': `odd = 1\n${SOUND['task.toml']}max = 1\n`,
    'instruction.md': 'one\n{{Bad}}\n',
  });
  const error = await loadTask(folder).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'task-invalid',
    details: {
      problems: [{ field: 'proctor.stdio.max' }, { file: 'tests/oracle.py' }, { file: 'instruction.md', line: 2 }],
    },
  });
  expect(String(error).split('\n')).toEqual([
    'ProctorError: task.toml:6: proctor.stdio.max: is not a field that Proctor knows',
    'tests/oracle.py: is missing: it defines cases() and expected(), see docs/task-format.md',
    expect.stringMatching(/^instruction\.md:2: .*\{\{Bad\}\} names no parameter$/),
  ]);
});

test.each(['', 'no-such-folder'])('a folder that is no task is not found (%j)', async (name) => {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  await expect(loadTask(join(scratch.path, name))).rejects.toMatchObject({ code: 'not-found' });
});

test('files that were stored give the same task as the folder they came from', async () => {
  const task = await loadTask(fixture('wordtool'));
  expect(taskFromFiles(task.files, 'stored')).toEqual(task);
});

test('stored files that are no sound task any more are refused', async () => {
  const { files } = await loadTask(fixture('wordtool'));
  expect(() =>
    taskFromFiles(
      files.filter(({ path }) => path !== 'tests/oracle.py'),
      'stored',
    ),
  ).toThrow(expect.objectContaining({ code: 'task-invalid' }));
});

test('a problem is described with the place that is known of it', () => {
  const problem = { severity: 'error', file: 'task.toml', message: 'is odd' } as const;
  expect(describeProblem({ ...problem, line: 3, field: 'a.b' })).toBe('task.toml:3: a.b: is odd');
  expect(describeProblem({ ...problem, line: 3 })).toBe('task.toml:3: is odd');
  expect(describeProblem(problem)).toBe('task.toml: is odd');
});
