import { describe, expect, test } from 'vitest';
import type { Service } from '../../src/bin/open-service.ts';
import { tryTask } from '../../src/bin/try-task.ts';
import { awaitReward } from '../../src/pipeline/await-reward.ts';
import { drawInstance, serveInstance } from '../../src/pipeline/draw-instance.ts';
import { regrade } from '../../src/pipeline/regrade.ts';
import { submit } from '../../src/pipeline/submit.ts';
import { findGrade } from '../../src/stages/grade/grade-store.ts';
import type { Instance } from '../../src/stages/instance/instance.ts';
import { findInstance, lockSnapshot, saveInstance } from '../../src/stages/instance/instance-store.ts';
import { makeInstance, remakeInstance } from '../../src/stages/instance/make-instance.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import type { Task } from '../../src/stages/task/task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { findVerdict } from '../../src/stages/verdict/verdict-store.ts';
import { disposeAfterEach, openTestService, sent, tinyTask } from '../support/tiny-service.ts';
import { TINY_TOML } from '../support/tiny-task.ts';

disposeAfterEach();

const TOML = TINY_TOML.replace('test/double', 'test/scale');
const FACTOR = '[proctor.parameters.factor]\ntype = "integer"\nmin = 2\nmax = 1000000\n';
const scaleBy = (factor: unknown) => `def double(x):\n    return ${factor} * x\n`;
const SCALED = `def cases(parameters, random):
    for _ in range(5):
        yield {"args": [random.randrange(1, 10**6)]}


def expected(parameters, case):
    return parameters["factor"] * case["args"][0]
`;
const scaleTask = (more: Record<string, string> = {}) =>
  tinyTask({
    ...{ 'task.toml': TOML + FACTOR, 'tests/oracle.py': SCALED },
    ...{ 'instruction.md': 'Multiply by {{factor}}.\n', 'solution/double.py': null, ...more },
  });

async function open(folder: string): Promise<{ service: Service; task: Task }> {
  const [service, task] = [await openTestService(), await loadTask(folder)];
  await saveTask(service.parts, task);
  return { service, task };
}

/** Hands in for an instance, and gives all that came of it. */
async function gradeFor({ parts, pipeline }: Service, instance: Instance, source: string) {
  const { id: instanceId } = await saveInstance(parts.database, instance);
  const { id } = await submit(parts, pipeline, { instanceId, handIn: sent(source) });
  const { body, verdictId } = await awaitReward(parts.database, id);
  const verdict = await findVerdict(parts.database, verdictId);
  const grade = await findGrade(parts.database, verdict.gradeId);
  if (grade.body.kind !== 'measured') throw new Error(JSON.stringify(grade.body));
  return { id, reward: body.reward, verdict: verdict.body, verdictId, grade: grade.body };
}

describe('hidden inputs are drawn once the artifact is sealed', () => {
  const echoes = `def cases(parameters, random):
    for _ in range(3):
        yield {"args": [random.randrange(1, 10**9)]}


def expected(parameters, case):
    return None


def check(parameters, case, answer):
    return True if answer is None else "asked %d" % case["args"][0]
`;

  test('another artifact meets other inputs, the same one the same again', async () => {
    const { service, task } = await open(await tinyTask({ 'tests/oracle.py': echoes }));
    const instance = makeInstance(task, { seed: 'one' });
    const asked = async (source: string) => {
      const { grade, verdictId } = await gradeFor(service, instance, source);
      const { same } = await regrade(service.parts, verdictId);
      return { notes: grade.cases.map(({ note }) => note), same };
    };
    const [one, again, other] = [
      await asked('def double(x):\n    return x\n'),
      await asked('def double(x):\n    return x\n'),
      await asked('def double(x):\n    return x  # other\n'),
    ];
    expect(one.notes[0]).toMatch(/asked \d+/);
    expect(again).toEqual(one);
    expect(one.same).toBe(true);
    expect(other.notes).not.toEqual(one.notes);
  });

  test('values that are drawn late fill the hidden tests and nothing that the subject sees', async () => {
    const late = '[proctor.parameters.offset]\ntype = "integer"\nmin = 1\nmax = 1000000\nlate = true\n';
    const oracle = SCALED.replace('random.randrange(1, 10**6)', 'parameters["offset"]');
    const { service, task } = await open(
      await scaleTask({ 'task.toml': TOML + FACTOR + late, 'tests/oracle.py': oracle }),
    );
    const instance = makeInstance(task, { seed: 'one' });
    expect(Object.keys(instance.parameters)).toEqual(['factor']);
    expect(await gradeFor(service, instance, scaleBy(instance.parameters.factor))).toMatchObject({ reward: 1 });
  });
});

describe('a solution that belongs to another instance', () => {
  test('earns nothing here, and is suspect when it was right there', async () => {
    const { service, task } = await open(await scaleTask());
    const [one, two] = [makeInstance(task, { seed: 'one' }), makeInstance(task, { seed: 'two' })];
    const source = scaleBy(one.parameters.factor);
    expect(await gradeFor(service, one, source)).toMatchObject({ reward: 1, verdict: { integrity: 'clean' } });
    const there = await gradeFor(service, two, source);
    expect(there).toMatchObject({ reward: 0, verdict: { outcome: 'failed', integrity: 'suspect' } });
    expect(there.verdict.signals).toContainEqual({ kind: 'memorized-solution', severity: 'suspect' });
    expect((await regrade(service.parts, there.verdictId)).same).toBe(true);
  });

  test('is no ground for suspicion when it is right here too, or was wrong there', async () => {
    const { service, task } = await open(await tinyTask());
    const [one, two] = [makeInstance(task, { seed: 'one' }), makeInstance(task, { seed: 'two' })];
    const [right, wrong] = ['def double(x):\n    return x + x\n', 'def double(x):\n    return x\n'];
    await gradeFor(service, one, right);
    const again = await gradeFor(service, two, right);
    expect(again.verdict).toMatchObject({ integrity: 'clean' });
    expect(again.verdict.signals).toEqual([{ kind: 'memorized-solution', severity: 'note' }]);
    await gradeFor(service, one, wrong);
    expect((await gradeFor(service, two, wrong)).verdict).toMatchObject({
      outcome: 'failed',
      integrity: 'clean',
      signals: [],
    });
  });
});

describe('siblings', () => {
  const numbers = '[proctor.parameters.numbers]\ntype = "integers"\ncount = 4\nmin = 10\nmax = 1000000\n';
  const siblings = '[proctor.siblings]\ncount = 3\nvary = ["numbers"]\n';
  const oracle = `${SCALED}

def examples(parameters):
    for number in parameters["numbers"]:
        yield {"args": [number]}
`;
  const files = { 'task.toml': TOML + FACTOR + numbers + siblings, 'tests/oracle.py': oracle };
  const tableOf = (instance: Instance) => {
    const shown = instance.parameters.numbers as number[];
    const entries = shown.map((number) => `${number}: ${number * Number(instance.parameters.factor)}`);
    return `def double(x):\n    return {${entries.join(', ')}}.get(x)\n`;
  };

  test('who knows the shown examples by heart is hard-coded, with the counts as evidence', async () => {
    const { service, task } = await open(await scaleTask(files));
    const instance = makeInstance(task, { seed: 'one' });
    const { reward, grade, verdict } = await gradeFor(service, instance, tableOf(instance));
    expect({ reward, siblings: grade.siblings }).toEqual({
      reward: 0,
      siblings: { own: { right: 4, of: 4 }, siblings: { right: 0, of: 12, instances: 3 } },
    });
    expect(verdict).toMatchObject({ integrity: 'suspect' });
    expect(verdict.signals).toContainEqual({ kind: 'hard-coded', severity: 'suspect' });
  });

  test.each([
    ['right work', (factor: number) => scaleBy(factor), 1],
    ['work that is wrong everywhere', () => 'def double(x):\n    return 0\n', 0],
    [
      'work that is wrong for large numbers',
      (f: number) => `def double(x):\n    return ${f} * x if x < 900000 else 0\n`,
      0,
    ],
    ['work that hangs on the first', () => 'def double(x):\n    while True: pass\n', 0],
  ])('%s is not', async (_, write, wanted) => {
    const { service, task } = await open(await scaleTask(files));
    const instance = makeInstance(task, { seed: 'one' });
    const { reward, verdict } = await gradeFor(service, instance, write(Number(instance.parameters.factor)));
    expect(verdict.signals.filter(({ kind }) => kind === 'hard-coded')).toEqual([]);
    if (wanted === 1) expect(reward).toBe(1);
    expect(verdict.integrity).toBe('clean');
  });

  test('a cheat that hangs on what it does not know is hard-coded all the same', async () => {
    const { service, task } = await open(await scaleTask(files));
    const instance = makeInstance(task, { seed: 'one' });
    const hangs = tableOf(instance).replace('.get(x)', '[x] if x in KNOWN else sleep()');
    const source = `import time\nKNOWN = ${JSON.stringify(instance.parameters.numbers)}\ndef sleep():\n    time.sleep(9)\n${hangs}`;
    expect((await gradeFor(service, instance, source)).verdict.signals).toContainEqual({
      ...{ kind: 'hard-coded', severity: 'suspect' },
    });
  });

  test('what examples() does wrong costs nobody a grade, and the author is told', async () => {
    const folder = await scaleTask({
      ...files,
      'tests/oracle.py': SCALED,
      'solution/double.py.tmpl': scaleBy('{{factor}}'),
    });
    const { service, task } = await open(folder);
    const instance = makeInstance(task, { seed: 'one' });
    const { reward, grade } = await gradeFor(service, instance, scaleBy(instance.parameters.factor));
    expect({ reward, siblings: grade.siblings }).toEqual({ reward: 1, siblings: undefined });
    expect((await tryTask(service, folder)).map(({ message }) => message)).toEqual([
      'examples() fails or takes too long, so that siblings tell nothing',
    ]);
  });

  test('siblings keep the constraints of the task, so that right work is right for them', async () => {
    const bounds = ['low', 'high'].map(
      (name) => `[proctor.parameters.${name}]\ntype = "integer"\nmin = 1\nmax = 1000\n`,
    );
    const toml = `${TOML}${FACTOR}${bounds.join('')}[[proctor.constraints]]\nascending = ["low", "high"]\n[proctor.siblings]\nvary = ["low", "high"]\n`;
    const needsOrder = `${SCALED}

def examples(parameters):
    low, high = parameters["low"], parameters["high"]
    assert low < high
    return [{"args": [low]}, {"args": [high]}, {"args": [high - low]}]
`;
    const { service, task } = await open(await scaleTask({ 'task.toml': toml, 'tests/oracle.py': needsOrder }));
    const instance = makeInstance(task, { seed: 'one' });
    const almost = `def double(x):\n    return ${instance.parameters.factor} * x if x < 2000 else 0\n`;
    const { grade } = await gradeFor(service, instance, almost);
    expect(grade.siblings).toEqual({ own: { right: 3, of: 3 }, siblings: { right: 9, of: 9, instances: 3 } });
    expect((await gradeFor(service, instance, scaleBy(instance.parameters.factor))).grade.siblings).toBeUndefined();
  });
});

describe('a generator of the task’s own', () => {
  const toml = `${TOML}[proctor.generator]\ngives = ["factor", "table"]\n`;
  const generate = `def generate(parameters, random):
    factor = random.randrange(2, 10**6)
    if factor % 2:
        raise Reject
    return {"factor": factor, "table": [{"n": n, "square": n * n} for n in range(3)]}
`;
  const generated = (more: Record<string, string> = {}) =>
    scaleTask({
      'task.toml': toml,
      'tests/generate.py': generate,
      'environment/t.csv.tmpl': '{{table|csv}}\n',
      ...more,
    });

  test('draws the same for the same seed, is asked again when it rejects, and is graded like any other', async () => {
    const { service, task } = await open(await generated());
    const [one, again, two] = [
      await drawInstance(service.parts, task, { seed: 'one' }),
      await drawInstance(service.parts, task, { seed: 'one' }),
      await drawInstance(service.parts, task, { seed: 'two' }),
    ];
    expect(again.digest).toBe(one.digest);
    expect(two.parameters.factor).not.toBe(one.parameters.factor);
    expect(Number(one.parameters.factor) % 2).toBe(0);
    expect(one.files.find(({ path }) => path === 't.csv')?.bytes.toString()).toBe('n,square\n0,0\n1,1\n2,4\n');
    expect(await gradeFor(service, one, scaleBy(one.parameters.factor))).toMatchObject({ reward: 1 });
  });

  test.each([
    [
      'gives something else',
      'def generate(parameters, random):\n    return {"factor": 1}\n',
      /must give a dict of factor, table/,
    ],
    ['gives what is no value', generate.replace('factor, "table"', 'None, "table"'), /factor must be a text/],
    [
      'raises',
      'def generate(parameters, random):\n    return 1 / 0\n',
      /tests\/generate\.py:2: generate\(\): ZeroDivisionError/,
    ],
    ['always rejects', 'def generate(parameters, random):\n    raise Reject\n', /rejected 200 draws/],
    [
      'ends the process',
      'import os\ndef generate(parameters, random):\n    os._exit(3)\n',
      /the examiner ended during/,
    ],
    ['is none', '', /must define generate\(\)/],
    [
      'gives other keys',
      'def generate(parameters, random):\n    return {1: 2, "factor": 3}\n',
      /must give a dict of factor, table/,
    ],
    [
      'gives ragged rows',
      generate.replace('for n in range(3)]', 'for n in range(3)] + [{"n": 1}]'),
      /with the same keys/,
    ],
    ['gives half a letter', generate.replace('factor, "table"', '"\\ud800", "table"'), /factor must be a text/],
  ])('that %s is the task’s fault, with its place', async (_, source, message) => {
    const { service, task } = await open(await generated({ 'tests/generate.py': source }));
    await expect(drawInstance(service.parts, task, { seed: 'one' })).rejects.toMatchObject({
      ...{ code: 'oracle-failed', message: expect.stringMatching(message) },
    });
  });
});

describe('what becomes of stored instances', () => {
  test('tables of a generator keep the order of their columns', async () => {
    const toml = `${TOML}[proctor.generator]\ngives = ["factor", "table"]\n`;
    const generate =
      'def generate(parameters, random):\n    return {"factor": 3, "table": [{"zone": "a", "id": 1, "name": "b"}]}\n';
    const more = { 'tests/generate.py': generate, 'environment/t.csv.tmpl': '{{table|csv}}\n' };
    const { service, task } = await open(await scaleTask({ 'task.toml': toml, ...more }));
    const { row, instance } = await serveInstance(service.parts, task, { phase: 'train' });
    expect(instance.files.find(({ path }) => path === 't.csv')?.bytes.toString()).toBe('zone,id,name\na,1,b\n');
    expect(remakeInstance(task, await findInstance(service.parts.database, row.id)).digest).toBe(row.digest);
    expect(await gradeFor(service, instance, scaleBy(3))).toMatchObject({ reward: 1 });
  });

  test('one is made again from its row alone', async () => {
    const { service, task } = await open(await scaleTask());
    const { row } = await serveInstance(service.parts, task, { phase: 'train' });
    expect(remakeInstance(task, await findInstance(service.parts.database, row.id)).digest).toBe(row.digest);
  });

  test('who serves them draws what is hidden from a secret that no seed tells', async () => {
    const { service, task } = await open(await scaleTask());
    const ask = () => serveInstance(service.parts, task, { seed: 'chosen', phase: 'train' });
    const [one, two] = [await ask(), await ask()];
    expect(one.row.digest).toBe(two.row.digest);
    expect(one.row.drawSecret).not.toBe(two.row.drawSecret);
  });

  test('an instance stays on the snapshot that it began with, and a missing one is named', async () => {
    const { service, task } = await open(await scaleTask());
    const { parts, pipeline } = service;
    const { row, instance } = await serveInstance(parts, task, { phase: 'train' });
    const gone = `sha256:${'0'.repeat(64)}` as const;
    await lockSnapshot(parts.database, row.id, gone);
    const { id } = await submit(parts, pipeline, {
      instanceId: row.id,
      handIn: sent(scaleBy(instance.parameters.factor)),
    });
    const reward = await awaitReward(parts.database, id);
    expect(reward.body).toMatchObject({ maskSample: true });
    const verdict = await findVerdict(parts.database, reward.verdictId);
    expect((await findGrade(parts.database, verdict.gradeId)).body).toMatchObject({
      ...{ kind: 'ungraded', code: 'snapshot-missing', message: expect.stringContaining(gone) },
    });
  });
});

describe('a task whose answers repeat', () => {
  const check = async (folder: string) => tryTask((await open(folder)).service, folder);
  const solved = { 'solution/double.py.tmpl': scaleBy('{{factor}}') };

  test('is refused, with how often', async () => {
    const few = TOML + FACTOR.replace('max = 1000000', 'max = 3');
    expect(await check(await scaleTask({ ...solved, 'task.toml': few }))).toMatchObject([
      {
        severity: 'error',
        field: 'proctor.parameters',
        message: expect.stringMatching(/^(49|50|51)\.\d % of all pairs .* \(2 different/),
      },
    ]);
  });

  test('is warned about when it says so, and one that does not repeat is sound', async () => {
    expect(await check(await tinyTask())).toMatchObject([
      { severity: 'error', message: expect.stringMatching(/^100\.0 %/) },
    ]);
    const known = TOML.replace('grader = "function"', 'grader = "function"\nanswers_repeat = true');
    expect(await check(await tinyTask({ 'task.toml': known }))).toMatchObject([{ severity: 'warning' }]);
    expect(await check(await scaleTask(solved))).toEqual([]);
  });
});
