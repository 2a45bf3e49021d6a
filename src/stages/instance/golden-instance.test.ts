import { expect, test } from 'vitest';
import { writtenTask } from '../../../test/support/written-tree.ts';
import { makeInstance, remakeInstance } from './make-instance.ts';

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

const goldenTask = (change: Partial<Record<keyof typeof FILES, string>> = {}) => writtenTask({ ...FILES, ...change });

test('a known task and seed give a known instance on every machine', async () => {
  const task = await goldenTask();
  const instance = makeInstance(task, { seed: 'golden' });
  expect(instance.parameters).toEqual({ limit: 22, orders: [{ amount: 39 }, { amount: 21 }, { amount: 10 }] });
  expect(task.digest).toBe('sha256:e660290940e2c0149fd040fdd4881fc36bcc136049b0c3e596af3f3e62b8caf0');
  expect(instance.digest).toBe('sha256:a8f44ef7cc5864fb0c2b41fe155cb3c39740f17a16c5c78bbeb253dcef80121e');
});

test('an instance of format 1 is made again to the byte, without what came later', async () => {
  const task = await goldenTask();
  const row = {
    ...{ id: 'inst_00000000000000000000000000', taskDigest: task.digest, seed: 'golden', seedDrawn: false },
    ...{ parameters: {}, format: 1, drawSecret: null, draws: { difficulty: null, tries: 1, generated: null } },
    digest: 'sha256:197aa510aea3003012d89c3d6a3e88b1e383af380f64787cd081e3ac490e2f98',
  } as const;
  const made = remakeInstance(task, row);
  expect(made).toMatchObject({ digest: row.digest, decoys: [], environment: {} });
  expect(made.files.map(({ path }) => path)).toEqual(['data/orders.csv', 'main.py', 'run.sh']);
});

test('a stored instance that comes out otherwise is refused, and what is other is named', async () => {
  const task = await goldenTask();
  const row = { id: 'inst_00000000000000000000000000', ...makeInstance(task, { seed: 'golden' }) };
  expect(remakeInstance(task, row).digest).toBe(row.digest);
  const other = await goldenTask({ 'environment/run.sh': 'exec true\n' });
  expect(() => remakeInstance(other, row)).toThrow(/the same parameters but other files/);
  expect(() => remakeInstance(task, { ...row, seed: 'other' })).toThrow(/other values of limit, orders/);
  expect(() => remakeInstance(task, { ...row, format: 3 })).toThrow(
    /made in format 3; this version knows formats up to 2/,
  );
});

test('the workspace is the environment with its templates filled, and decoys', async () => {
  const { files, instruction, decoys } = makeInstance(await goldenTask(), { seed: 'golden' });
  expect(instruction).toBe('Print at most 22 lines.\n');
  const own = files.filter(({ path }) => !decoys.some(({ paths }) => paths.includes(path)));
  expect(own.map(({ path, mode, bytes }) => ({ path, mode, text: bytes.toString() }))).toEqual([
    { path: 'data/orders.csv', mode: 0o644, text: 'amount\n39\n21\n10\n' },
    { path: 'main.py', mode: 0o644, text: 'LIMIT = 22\n' },
    { path: 'run.sh', mode: 0o755, text: 'exec python3 main.py {{limit}}\n' },
  ]);
});

test('the digest of an instance names its task, so a changed oracle gives another one for the same bytes', async () => {
  const [one, two] = [await goldenTask(), await goldenTask({ 'tests/oracle.py': `${FILES['tests/oracle.py']}#\n` })];
  expect(makeInstance(two, { seed: 'golden' }).files).toEqual(makeInstance(one, { seed: 'golden' }).files);
  expect(makeInstance(two, { seed: 'golden' }).digest).not.toBe(makeInstance(one, { seed: 'golden' }).digest);
});

test('a solution and the place of the folder are no part of the task', async () => {
  const [one, two] = [await goldenTask(), await goldenTask({ 'solution/main.py': 'print(1)\n' })];
  expect(two.digest).toBe(one.digest);
  expect(one.files.map(({ path }) => path)).not.toContain('solution/main.py');
});

test('the digest does not hold the seed, which would tell the hidden draw', async () => {
  const task = await goldenTask({
    'task.toml': `${FILES['task.toml'].split('[proctor.parameters.limit]')[0]}[proctor.decoys]\nkinds = []\n`,
    'instruction.md': 'fixed\n',
    'environment/main.py.tmpl': '',
    'environment/data/orders.csv.tmpl': '',
  });
  expect(makeInstance(task, { seed: 'one' }).digest).toBe(makeInstance(task, { seed: 'two' }).digest);
});
