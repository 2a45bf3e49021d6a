import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Service } from '../../src/bin/open-service.ts';
import { awaitReward } from '../../src/pipeline/await-reward.ts';
import { regrade } from '../../src/pipeline/regrade.ts';
import type { HandIn } from '../../src/pipeline/submit.ts';
import { findLatestGrade } from '../../src/stages/grade/grade-store.ts';
import { scratchFolder, testService } from '../support/test-service.ts';
import { disposals, disposeAfterEach, handIn } from '../support/tiny-service.ts';
import { writeTree } from '../support/write-tree.ts';

disposeAfterEach();

let service: Service;
let close: () => Promise<void>;
beforeAll(async () => {
  const opened = await testService();
  service = opened.service;
  close = opened.dispose;
});
afterAll(() => close());

const HEAD = `schema_version = "1.0"
[task]
name = "test/native"
[verifier]
timeout_sec = 20.0
[environment]
memory_mb = 512
storage_mb = 32
[proctor]
grader = "native"
`;

const PYTEST: Record<string, string> = {
  'task.toml': `${HEAD}[proctor.native]
runner = "pytest"
required = ["test_double.py::test_two", "test_double.py::test_text"]
`,
  'tests/test_double.py': `from double import double

def test_two():
    assert double(2) == 4

def test_text():
    assert double("ab") == "abab"
`,
};

const NODE: Record<string, string> = {
  'task.toml': `${HEAD}[proctor.native]
runner = "node-test"
twins = "tests/twins"
required = ["double.test.mjs > two", "double.test.mjs > more > text"]
`,
  'tests/double.test.mjs': `import assert from 'node:assert';
import { describe, test } from 'node:test';
import { double } from '../double.mjs';
test('two', () => assert.equal(double(2), 4));
describe('more', () => test('text', () => assert.equal(double('ab'), 'abab')));
`,
  'tests/twins/other.test.mjs': `import assert from 'node:assert';
import { test } from 'node:test';
import { double } from '../double.mjs';
test('two', () => assert.equal(double(2), 5));
`,
  'tests/twins/twins.json': JSON.stringify({
    version: 1,
    twins: [{ file: 'other.test.mjs', id: 'two', of: 'double.test.mjs > two' }],
  }),
};

/** Writes a task and gives its folder. */
async function task(files: Record<string, string>, replaced: Record<string, string> = {}): Promise<string> {
  const scratch = await scratchFolder();
  disposals.push(scratch.dispose);
  const all = { 'instruction.md': 'Write double.\n', 'environment/README.md': 'none\n', ...files, ...replaced };
  await writeTree(scratch.path, all);
  return scratch.path;
}

const sent = (files: Record<string, string>): HandIn => ({
  files: Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text), executable: false })),
});

async function measured(folder: string, files: Record<string, string>) {
  const id = await handIn(service, folder, sent(files));
  const { body: reward, verdictId } = await awaitReward(service.parts.database, id);
  const grade = await findLatestGrade(service.parts.database, id);
  return { grade: grade?.body, reward, verdictId };
}

const PYTHON_RIGHT = 'def double(x):\n    return x + x\n';
const NODE_RIGHT = 'export const double = (x) => x + x;\n';

test('pytest: right code passes as witnessed, with a twin for each test, and grading again gives the same', async () => {
  const { grade, reward, verdictId } = await measured(await task(PYTEST), { 'double.py': PYTHON_RIGHT });
  expect(grade).toMatchObject({
    passed: true,
    assurance: 'witnessed',
    witness: { twins: 2, testsWithTwins: 2, of: 2, green: [], signs: [] },
  });
  expect(reward.reward).toBe(1);
  expect(await regrade(service.parts, verdictId)).toMatchObject({ same: true });
});

test.each([
  ['a wrong answer', 'def double(x):\n    return x\n', 'failed'],
  ['a syntax error', 'def double(x:\n', 'failed'],
  ['an error at import', 'raise RuntimeError("no")\n', 'failed'],
  ['an exit at import', 'import os\nos._exit(3)\n', 'crashed'],
  ['a signal', 'import os\nos.kill(os.getpid(), 9)\n', 'crashed'],
  ['an exit by exception', 'raise SystemExit(0)\n', 'failed'],
])('pytest: %s is a plain failure without any sign of forging', async (_name, source, status) => {
  const { grade } = await measured(await task(PYTEST), { 'double.py': source });
  expect(grade).toMatchObject({ passed: false, score: 0, witness: { green: [], signs: [] } });
  expect(grade?.kind === 'measured' && grade.cases.map((one) => one.status)).toEqual([status, status]);
});

test('pytest: code that hangs runs out of time', async () => {
  const toml = PYTEST['task.toml']?.replace('timeout_sec = 20.0', 'timeout_sec = 3.0') ?? '';
  const folder = await task(PYTEST, { 'task.toml': toml });
  const { grade } = await measured(folder, { 'double.py': 'def double(x):\n    while True:\n        pass\n' });
  expect(grade).toMatchObject({ passed: false, cases: [{ status: 'timed-out' }, { status: 'timed-out' }] });
});

test('pytest: what makes every test pass makes twins pass too, which is proof', async () => {
  const cheat = 'import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\ndouble = None\n';
  const { grade, reward, verdictId } = await measured(await task(PYTEST), { 'double.py': cheat });
  expect(grade).toMatchObject({
    passed: false,
    score: 0,
    witness: { green: ['test_double.py::test_text', 'test_double.py::test_two'], signs: [] },
  });
  expect(reward.reward).toBe(0);
  expect(await regrade(service.parts, verdictId)).toMatchObject({ same: true });
});

test('pytest: a result in the name of a test that is not there is a sign', async () => {
  const cheat = `${PYTHON_RIGHT}
import json, os, struct
body = json.dumps({"kind": "result", "id": "test_double.py::test_two", "status": "passed", "note": "", "wallMs": 1}).encode()
for descriptor in range(64, 1000):
    try:
        os.write(descriptor, struct.pack(">I", len(body)) + body)
    except OSError:
        pass
`;
  const { grade } = await measured(await task(PYTEST), { 'double.py': cheat });
  expect(grade).toMatchObject({ passed: false, score: 0, witness: { green: [], signs: ['unknown-result'] } });
});

test('pytest: a hidden test that is not required neither helps nor hurts; a required one that is not there is missing', async () => {
  const more = `${PYTEST['tests/test_double.py']}\ndef test_more():\n    assert double(1) == 3\n`;
  const { grade } = await measured(await task(PYTEST, { 'tests/test_double.py': more }), { 'double.py': PYTHON_RIGHT });
  expect(grade).toMatchObject({ passed: true });
  const toml = PYTEST['task.toml']?.replace('test_text"', 'test_absent"') ?? '';
  const without = await measured(await task(PYTEST, { 'task.toml': toml }), { 'double.py': PYTHON_RIGHT });
  expect(without.grade).toMatchObject({ passed: false, cases: [{ status: 'passed' }, { status: 'missing' }] });
});

test('node: right code passes, and its own package.json and scripts change nothing', async () => {
  const scripts = '{ "type": "commonjs", "scripts": { "test": "exit 0" }, "imports": { "#x": "./x.js" } }';
  const { grade } = await measured(await task(NODE), { 'double.mjs': NODE_RIGHT, 'package.json': scripts });
  expect(grade).toMatchObject({
    passed: true,
    assurance: 'witnessed',
    witness: { twins: 1, testsWithTwins: 1, of: 2, green: [], signs: [] },
  });
});

test.each([
  ['a wrong answer', 'export const double = (x) => x;\n'],
  ['the twin’s answer', 'export const double = (x) => (x === 2 ? 5 : x + x);\n'],
  ['an early exit', 'process.exit(0);\nexport const double = 0;\n'],
  ['an error at import', 'throw new Error("no");\n'],
  ['printed lines', 'console.log("ok 1 - two\\n1..1");\nprocess.exit(0);\nexport const double = 0;\n'],
])('node: %s is a plain failure without any sign of forging', async (_name, source) => {
  const { grade } = await measured(await task(NODE), { 'double.mjs': source });
  expect(grade).toMatchObject({ passed: false, witness: { green: [], signs: [] } });
});

test('node: patched assertions make the twin pass, which is proof', async () => {
  const cheat = `import assert from 'node:assert';\nassert.equal = () => {};\nexport const double = 0;\n`.replace(
    '= 0',
    '= () => 0',
  );
  const { grade } = await measured(await task(NODE), { 'double.mjs': cheat });
  expect(grade).toMatchObject({ passed: false, score: 0, witness: { green: ['double.test.mjs > two'] } });
});

const REPORTER = `import sys
sys.path.insert(0, "/work")
cases = []
def check(name, ok):
    cases.append('<testcase classname="double" name="%s">%s</testcase>' % (name, "" if ok else "<failure/>"))
from double import double
check("two", double(2) == 4)
open("/work/out/report.xml", "w").write('<testsuite tests="%d">%s</testsuite>' % (len(cases), "".join(cases)))
sys.exit(any("failure" in case for case in cases))
`;

test('junit: the report is read after the run; one that lay there before counts for nothing', async () => {
  const toml = `${HEAD}[proctor.native]
runner = "junit"
command = ["/usr/bin/python3", "-B", "{tests}/run.py"]
report = "out/report.xml"
build = ["/bin/mkdir", "-p", "out"]
required = ["double::two"]
`;
  const folder = await task({ 'task.toml': toml, 'tests/run.py': REPORTER });
  const { grade } = await measured(folder, { 'double.py': PYTHON_RIGHT });
  expect(grade).toMatchObject({ passed: true, assurance: 'plain', witness: { twins: 0 } });
  const forged = '<testsuite tests="1"><testcase classname="double" name="two"/></testsuite>';
  const exits = { 'double.py': 'import os\nos._exit(0)\n', 'out/report.xml': forged };
  expect((await measured(folder, exits)).grade).toMatchObject({ passed: false, cases: [{ status: 'crashed' }] });
});

test('a runner that the snapshot lacks is the task’s fault, whatever was handed in', async () => {
  const toml = `${HEAD}[proctor.native]\nrunner = "tap"\ncommand = ["no-such-program"]\nrequired = ["a"]\n`;
  const { grade, reward } = await measured(await task({ 'task.toml': toml, 'tests/a.t': '' }), {});
  expect(grade).toMatchObject({ kind: 'ungraded', fault: 'task', code: 'runner-missing' });
  expect(reward).toMatchObject({ status: 'unscored', maskSample: true });
});

test('a list of twins that does not fit is the task’s fault', async () => {
  const twins = { version: 1, twins: [{ file: 'other.test.mjs', id: 'two', of: 'double.test.mjs > three' }] };
  const folder = await task(NODE, { 'tests/twins/twins.json': JSON.stringify(twins) });
  const { grade } = await measured(folder, { 'double.mjs': NODE_RIGHT });
  expect(grade).toMatchObject({ kind: 'ungraded', fault: 'task', code: 'task-invalid' });
});

test('a build that fails is the hand-in’s, and one that looks for tests finds none', async () => {
  const build = 'build = ["/bin/sh", "-c", "exec sh build.sh"]\n';
  const folder = await task(PYTEST, { 'task.toml': `${PYTEST['task.toml']}${build}` });
  const failing = { 'double.py': PYTHON_RIGHT, 'build.sh': 'exit 7\n' };
  expect((await measured(folder, failing)).grade).toMatchObject({ passed: false, cases: [{ status: 'crashed' }, {}] });
  const looking = {
    'double.py': PYTHON_RIGHT,
    'build.sh': 'test -z "$(find / -name "test_*" -path "/work/*" 2>/dev/null)"\n',
  };
  expect((await measured(folder, looking)).grade).toMatchObject({ passed: true });
});
