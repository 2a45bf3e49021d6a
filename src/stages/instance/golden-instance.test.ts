import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { loadTask } from '../task/load-task.ts';
import { makeInstance } from './make-instance.ts';

const FILES = {
  'task.toml': `[task]
name = "golden/task"
[proctor]
grader = "stdio"
[proctor.stdio]
command = ["python3", "main.py"]
[proctor.parameters.limit]
type = "integer"
min = 10
max = 100
[proctor.parameters.orders]
type = "table"
rows = 3
[proctor.parameters.orders.columns.amount]
type = "integer"
min = 1
max = 100
`,
  'instruction.md': 'Print at most {{limit}} lines.\n',
  'environment/main.py.tmpl': 'LIMIT = {{limit|python}}\n',
  'environment/data/orders.csv.tmpl': '{{orders|csv}}\n',
  'environment/run.sh': 'exec python3 main.py {{limit}}\n',
  'environment/Dockerfile': 'FROM scratch\n',
  'tests/oracle.py': 'def cases(parameters, random): return []\ndef expected(parameters, case): return ""\n',
  'solution/main.py': 'print()\n',
};

async function goldenTask(change: Partial<Record<keyof typeof FILES, string>> = {}) {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  for (const [path, text] of Object.entries({ ...FILES, ...change })) {
    await mkdir(dirname(join(scratch.path, path)), { recursive: true });
    await writeFile(join(scratch.path, path), text);
    await chmod(join(scratch.path, path), path.endsWith('.sh') ? 0o700 : 0o600);
  }
  return loadTask(scratch.path);
}

test('a known task and seed give a known instance on every machine', async () => {
  const task = await goldenTask();
  const instance = makeInstance(task, 'golden');
  expect(instance.parameters).toEqual({ limit: 22, orders: [{ amount: 39 }, { amount: 21 }, { amount: 10 }] });
  expect(task.digest).toBe('sha256:e660290940e2c0149fd040fdd4881fc36bcc136049b0c3e596af3f3e62b8caf0');
  expect(instance.digest).toBe('sha256:197aa510aea3003012d89c3d6a3e88b1e383af380f64787cd081e3ac490e2f98');
});

test('the workspace is the environment with its templates filled and nothing else', async () => {
  const { files, instruction } = makeInstance(await goldenTask(), 'golden');
  expect(instruction).toBe('Print at most 22 lines.\n');
  expect(files.map(({ path, mode, bytes }) => ({ path, mode, text: bytes.toString() }))).toEqual([
    { path: 'data/orders.csv', mode: 0o644, text: 'amount\n39\n21\n10\n' },
    { path: 'main.py', mode: 0o644, text: 'LIMIT = 22\n' },
    { path: 'run.sh', mode: 0o755, text: 'exec python3 main.py {{limit}}\n' },
  ]);
});

test('the digest of an instance names its task, so a changed oracle gives another one for the same bytes', async () => {
  const [one, two] = [await goldenTask(), await goldenTask({ 'tests/oracle.py': `${FILES['tests/oracle.py']}#\n` })];
  expect(makeInstance(two, 'golden').files).toEqual(makeInstance(one, 'golden').files);
  expect(makeInstance(two, 'golden').digest).not.toBe(makeInstance(one, 'golden').digest);
});

test('a solution and the place of the folder are no part of the task', async () => {
  const [one, two] = [await goldenTask(), await goldenTask({ 'solution/main.py': 'print(1)\n' })];
  expect(two.digest).toBe(one.digest);
  expect(one.files.map(({ path }) => path)).not.toContain('solution/main.py');
});

test('the digest does not hold the seed, which would tell the hidden draw', async () => {
  const task = await goldenTask({
    'task.toml': FILES['task.toml'].split('[proctor.parameters.limit]')[0] ?? '',
    'instruction.md': 'fixed\n',
    'environment/main.py.tmpl': '',
    'environment/data/orders.csv.tmpl': '',
  });
  expect(makeInstance(task, 'one').digest).toBe(makeInstance(task, 'two').digest);
});
