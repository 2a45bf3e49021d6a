import { expect, test } from 'vitest';
import { writtenTask } from '../../../test/support/written-tree.ts';
import { fillTask } from './fill-task.ts';
import { makeInstance } from './make-instance.ts';

const FILES = {
  'task.toml': `[task]
name = "renamed/task"
[proctor]
grader = "function"
[proctor.function]
module = "{{module}}.core"
function = "{{verb}}_all"
[proctor.artifact]
include = ["{{module}}/**"]
[proctor.parameters.module]
type = "name"
[proctor.parameters.verb]
type = "choice"
of = ["count", "list"]
[proctor.decoys]
kinds = []
`,
  'instruction.md': 'Write {{module}}/core.py.\n',
  'environment/{{module}}/core.py.tmpl': 'def {{verb}}_all(): pass\n',
  'environment/{{module}}/plain.txt': '{{module}}\n',
  'tests/oracle.py': '',
};

test('names of files, folders and settings are filled with one and the same value', async () => {
  const task = await writtenTask(FILES);
  const { files, parameters } = makeInstance(task, { seed: 'one' });
  const { module, verb } = parameters;
  expect(files.map(({ path, bytes }) => [path, bytes.toString()])).toEqual([
    [`${module}/core.py`, `def ${verb}_all(): pass\n`],
    [`${module}/plain.txt`, '{{module}}\n'], // only templates are filled inside
  ]);
  const { proctor } = fillTask(task, parameters).definition;
  expect(proctor.function).toEqual({ module: `${module}.core`, function: `${verb}_all` });
  expect(proctor.artifact.include).toEqual([`${module}/**`]);
});

test('a task without places is the same task', async () => {
  const task = await writtenTask({ ...FILES, 'task.toml': FILES['task.toml'].replaceAll(/\{\{\w+\}\}/g, 'a') });
  expect(fillTask(task, {})).toBe(task);
});

test.each([
  ['of = ["count", "list"]', 'of = ["not a name"]', 'proctor.function.function: must be a Python name'],
  ['module = "{{module}}.core"', 'module = "{{other}}.core"', 'other|text}} is not a parameter'],
])('a setting that is none once it is filled is the task’s fault: %s', async (before, after, message) => {
  const task = await writtenTask({ ...FILES, 'task.toml': FILES['task.toml'].replace(before, after) }).catch(String);
  if (typeof task === 'string') return expect(task).toContain('other');
  expect(() => fillTask(task, makeInstance(task, { seed: 'one' }).parameters)).toThrow(message);
});

test.each([
  ['..', 'cannot be part of a path'],
  ['a/b', 'cannot be part of a path'],
])('a value leads no file elsewhere: %s', async (value, message) => {
  const toml = FILES['task.toml'].replace('type = "name"', `type = "choice"\nof = ["${value}"]`);
  const task = await writtenTask({ ...FILES, 'task.toml': toml });
  expect(() => makeInstance(task, { seed: 'one' })).toThrow(message);
});

test('two files that become one are the task’s fault', async () => {
  const toml = FILES['task.toml'].replace('of = ["count", "list"]', 'of = ["core"]');
  const task = await writtenTask({ ...FILES, 'task.toml': toml, 'environment/{{module}}/{{verb}}.py': '' });
  expect(() => makeInstance(task, { seed: 'one' })).toThrow(/two files of this task become .*core\.py/);
});
