import { execFileSync } from 'node:child_process';
import { chmod, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { writeTree } from '../../../test/support/write-tree.ts';
import { checkTask } from './check-task.ts';

const SOUND: Readonly<Record<string, string>> = {
  'task.toml': `[proctor]
grader = "stdio"
[proctor.stdio]
command = ["true"]
[proctor.parameters.limit]
type = "integer"
min = 1
max = 2
`,
  'instruction.md': 'Do it {{limit}} times.\n',
  'environment/start.py.tmpl': 'LIMIT = {{limit}}\n',
  'tests/oracle.py': '',
};

/** A task folder; a file that is null is left out. */
async function taskFolder(change: Readonly<Record<string, string | null>> = {}): Promise<string> {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  await writeTree(scratch.path, { ...SOUND, ...change });
  return scratch.path;
}

const problemsOf = async (change: Readonly<Record<string, string | null>>) =>
  (await checkTask(await taskFolder(change))).problems;

test('a sound task has a definition, its files in path order, and no problem', async () => {
  const { definition, files, problems } = await checkTask(await taskFolder());
  expect(problems).toEqual([]);
  expect(definition?.proctor.grader).toBe('stdio');
  expect(files.map(({ path }) => path)).toEqual([
    ...['environment/start.py.tmpl', 'instruction.md', 'task.toml', 'tests/oracle.py'],
  ]);
});

test.each(['task.toml', 'instruction.md', 'tests/oracle.py'])('a task without %s says so', async (path) => {
  const problems = await problemsOf({ [path]: null });
  expect(problems).toMatchObject([{ severity: 'error', file: path, message: expect.stringMatching(/^is missing: /) }]);
});

test('an empty environment is a warning only', async () => {
  expect(await problemsOf({ 'environment/start.py.tmpl': null })).toMatchObject([
    { severity: 'warning', file: 'environment' },
  ]);
});

test('a template that names an unknown parameter is told with its file, its line, and what there is', async () => {
  expect(await problemsOf({ 'environment/start.py.tmpl': 'x = 1\n\ny = {{limits}}\n' })).toEqual([
    {
      severity: 'error',
      file: 'environment/start.py.tmpl',
      line: 3,
      message: '{{limits}} is not in [proctor.parameters]; there are: limit',
    },
  ]);
});

test('several faults in several files are told at once', async () => {
  const problems = await problemsOf({
    'task.toml': '[proctor]\ngrader = "stdio"\ngarder = 1\n',
    'instruction.md': '{{a b}}\n',
    'environment/start.py.tmpl': '\n{{limit|upper}}\n',
    'tests/oracle.py': null,
  });
  expect(problems.map(({ severity, file, line }) => [severity, file, line])).toEqual([
    ['error', 'task.toml', 3],
    ['error', 'task.toml', 1],
    ['error', 'tests/oracle.py', undefined],
    ['error', 'environment/start.py.tmpl', 2],
    ['error', 'instruction.md', 1],
  ]);
});

test('while the definition is broken, its parameters are not held against the templates', async () => {
  const problems = await problemsOf({ 'task.toml': 'broken\n' });
  expect(problems.map(({ file, line }) => [file, line])).toEqual([['task.toml', 1]]);
});

test('places in files that are no templates are ordinary text', async () => {
  expect(await problemsOf({ 'environment/page.html': '{{ user.name }}', 'tests/oracle.py': '"{{x}}"' })).toEqual([]);
});

test('links and FIFOs in a task are named and not read', async () => {
  const folder = await taskFolder();
  await symlink('/etc/passwd', join(folder, 'environment/link'));
  execFileSync('mkfifo', [join(folder, 'tests/fifo')]);
  const { files, problems } = await checkTask(folder);
  const message = 'is not a regular file; a task holds files and folders only';
  expect(problems).toEqual([
    { severity: 'error', file: '"environment/link"', message },
    { severity: 'error', file: '"tests/fifo"', message },
  ]);
  expect(files.map(({ path }) => path)).not.toContain('environment/link');
});

test('a task that grew too large by accident is refused without being read', async () => {
  const folder = await taskFolder();
  await writeFile(join(folder, 'environment/dump.bin'), '');
  await truncate(join(folder, 'environment/dump.bin'), 65 * 1024 ** 2);
  const { files, problems } = await checkTask(folder);
  expect(problems).toContainEqual({
    severity: 'error',
    file: '"environment/dump.bin"',
    message: 'the task is larger than 64 MiB',
  });
  expect(files.map(({ path }) => path)).not.toContain('environment/dump.bin');
});

test('caches of Python and whatever else lies in the folder are no part of the task', async () => {
  const { files } = await checkTask(
    await taskFolder({ 'tests/__pycache__/oracle.pyc': 'x', 'notes.txt': 'x', 'solution/a.py': 'x' }),
  );
  expect(files).toHaveLength(4);
});

test('of a file’s mode only "may be run" counts', async () => {
  const folder = await taskFolder({ 'environment/run.sh': '' });
  await chmod(join(folder, 'environment/run.sh'), 0o700);
  await chmod(join(folder, 'environment/start.py.tmpl'), 0o666);
  const modes = (await checkTask(folder)).files.map(({ path, mode }) => [path, mode]);
  expect(modes).toContainEqual(['environment/run.sh', 0o755]);
  expect(modes).toContainEqual(['environment/start.py.tmpl', 0o644]);
});

test('a template that becomes a file which is there already is a fault', async () => {
  expect(await problemsOf({ 'environment/start.py': 'x' })).toMatchObject([
    { severity: 'error', file: 'environment/start.py.tmpl' },
  ]);
});

test('a place that is not closed is a fault, an escaped one is not', async () => {
  expect(await problemsOf({ 'instruction.md': 'a\n{{limit\n' })).toMatchObject([
    { severity: 'error', file: 'instruction.md', line: 2, message: expect.stringContaining('not closed') },
  ]);
  expect(await problemsOf({ 'instruction.md': 'write {{{{limit}} as it stands\n' })).toEqual([]);
});

test('settings that have no effect yet are told', async () => {
  const toml = `${SOUND['task.toml']}[environment]\nallow_internet = true\ngpus = 1\n[proctor.egress]\nallow = ["a"]\n`;
  expect((await problemsOf({ 'task.toml': toml })).map(({ severity, field }) => [severity, field])).toEqual([
    ['warning', 'environment.allow_internet'],
    ['warning', 'environment.gpus'],
    ['warning', 'proctor.egress.allow'],
  ]);
});

test('bounds of columns are in order too', async () => {
  const column =
    '[proctor.parameters.rows]\ntype = "table"\nrows = 1\n[proctor.parameters.rows.columns.n]\ntype = "integer"\nmin = 5\nmax = 4\n';
  expect(await problemsOf({ 'task.toml': `${SOUND['task.toml']}${column}` })).toMatchObject([
    { severity: 'error', field: 'proctor.parameters.rows.columns.n.min', message: 'min is greater than max' },
  ]);
});

const native = (settings: string) => ({
  'task.toml': `[proctor]\ngrader = "native"\n[proctor.parameters.limit]\ntype = "integer"\nmin = 1\nmax = 2\n[proctor.native]\n${settings}`,
  'tests/oracle.py': null,
});

test('a task with a native runner needs no oracle, but a list of required tests and of the twins that it names', async () => {
  expect(await problemsOf(native('runner = "pytest"\nrequired = ["a"]\n'))).toEqual([]);
  const files = (await problemsOf(native('runner = "pytest"\ntwins = "tests/twins"\n'))).map(({ file }) => file);
  expect(files).toEqual(['tests/required.json', 'tests/twins/twins.json']);
});

test.each([
  ['tap without a command', 'runner = "tap"'],
  ['pytest with one', 'runner = "pytest"\ncommand = ["true"]'],
  ['junit without a report', 'runner = "junit"\ncommand = ["true"]'],
  ['tap with one', 'runner = "tap"\ncommand = ["true"]\nreport = "a.xml"'],
  ['a report outside of the work folder', 'runner = "junit"\ncommand = ["true"]\nreport = "../a.xml"'],
  ['twins outside of tests', 'runner = "go-test"\ntwins = "twins"'],
  ['a test twice', 'runner = "go-test"\nrequired = ["a", "a"]'],
  ['a runner that nobody knows', 'runner = "nose"'],
])('%s is refused', async (_name, settings) => {
  const problems = await problemsOf(
    native(`${settings}\n${settings.includes('required') ? '' : 'required = ["a"]\n'}`),
  );
  expect(problems.filter(({ field }) => field?.startsWith('proctor.native'))).not.toEqual([]);
});
