import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { BUNDLED } from '../../src/bin/bundled.ts';
import { whyNoForkServer } from '../../src/platform/sandbox/forkserver/fork-driver.ts';
import type { GradeBody } from '../../src/stages/grade/grade.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import type { Task } from '../../src/stages/task/task.ts';
import { type Files, facts, grade, notesOf, onBothDrivers, prepare } from '../support/direct-grade.ts';
import { disposeAfterEach, tinyTask } from '../support/tiny-service.ts';

const GRADER = fileURLToPath(new URL('../../graders/pytest/proctor_pytest', import.meta.url));

/** Whether a test file only defines things, by graders/pytest/proctor_pytest/definitions.py. */
function onlyDefines(text: string): boolean {
  const program = `import sys; sys.path.insert(0, sys.argv[1]); import definitions
print(definitions.only_defines(sys.stdin.buffer.read(), ["told"], ["helpers"]))`;
  return (
    execFileSync('/usr/bin/python3', ['-I', '-B', '-c', program, GRADER], { input: text }).toString().trim() === 'True'
  );
}

test.each([
  'import pytest\nfrom told import tell\n\n@pytest.mark.parametrize("n,m", [(1, -2), (3, float("inf"))], ids=["a", "b"])\ndef test_it(n, m):\n    tell(n)\n',
  'import math, told.inner as inner\nfrom decimal import Decimal\n\nLIMIT: float = math.pi * 2\nCASES = [("a", Decimal("1.5"))]\n',
  'import unittest\n\nclass TestIt(unittest.TestCase):\n    """One."""\n    cases = {"a": [1]}\n\n    def setUp(self):\n        import told\n        self.it = told.It()\n',
  'from __future__ import annotations\nfrom told import It\n\ndef check(it: It) -> It: ...\n\nif __name__ == "__main__":\n    check(It())\n',
  'import pytest\nfrom helpers import NAMES\n\npytestmark = pytest.mark.skipif(False, reason="x")\n\n@pytest.fixture(scope="module", params=[1, 2])\ndef it(request):\n    yield request.param\n',
])('a file that only defines things may be read before there is a candidate: %#', (text) => {
  expect(onlyDefines(text)).toBe(true);
});

test.each([
  'import random\nCASES = [random.random()]\n',
  'from random import random\nCASES = [random()]\n',
  'import time\nSTART = time.time()\n',
  'import datetime\nNOW = datetime.datetime.now()\n',
  'import os\nHOME = os.environ["HOME"]\n',
  'import told\nCASES = [told.tell]\n',
  'from told import It\n\nclass TestIt(It): ...\n',
  'from told import It\n\ndef check(it: It): ...\n',
  'from told import It\n\ndef check(it=It): ...\n',
  'from told import mark\n\n@mark\ndef test_it(): ...\n',
  'from told import *\n',
  'from told import setup_module\n',
  'from told import it as pytestmark\n',
  'try:\n    from told import it\nexcept ImportError:\n    it = None\n',
  'for n in range(3):\n    print(n)\n',
  'print("x")\n',
  'import numpy\n',
  'import pytest\n\ntold = pytest.importorskip("told")\n',
  'class It:\n    from told import it\n',
  'class It:\n    def __init_subclass__(cls): ...\n\nclass Other(It): ...\n',
  'class It(metaclass=type): ...\n',
  'import enum\n\nclass It(enum.Enum):\n    A = 1\n\n    def __init__(self, value): ...\n',
  'def make(): ...\n\nCASES = make()\n',
  'def range(n): ...\n\nCASES = range(3)\n',
  'def pytest_generate_tests(metafunc): ...\n',
  'pytest_plugins = ["told"]\n',
  'CASES = [n for n in (1, 2)]\n',
  'CASES = (lambda: 1)()\n',
  'open("/tmp/x", "w").write("x")\n',
  'import sys\nsys.path.insert(0, "/work")\n',
  'import pytest\n\n@pytest.mark.skipif(open("/x").read(), reason="")\ndef test_it(): ...\n',
  'class TestIt:\n    @property\n    def it(self): ...\n',
  'import pytest\n\ndef name(value): ...\n\n@pytest.mark.parametrize("n", [1], ids=name)\ndef test_it(n): ...\n',
  'import pytest\n\ndef name(value): ...\n\nALIAS = name\n\n@pytest.mark.parametrize("n", [1], False, ALIAS)\ndef test_it(n): ...\n',
  'import pytest\nfrom helpers import name\n\n@pytest.fixture(scope=name)\ndef it(): ...\n',
  'def __getattr__(name): ...\n',
  'class TestIt:\n    def __getattr__(self, name): ...\n',
  'TYPE_CHECKING = True\n\nif TYPE_CHECKING:\n    open("/tmp/x", "w")\n',
  'import helpers as typing\n\nif typing.TYPE_CHECKING:\n    open("/tmp/x", "w")\n',
  '# coding: utf-7\n# +AAo-open("/tmp/x", "w")\n',
  'import sys\n\nKNOWN = sys.modules\n',
  'from sys import argv\n\nKNOWN = str(argv)\n',
  'def test_it(:\n',
  'x = "\0"\n',
])('a file of which something runs at import is not read before: %j', (text) => {
  expect(onlyDefines(text)).toBe(false);
});

const fault = whyNoForkServer(BUNDLED.forkFolder);

describe.skipIf(fault !== null)('suites that are collected before there is a candidate', () => {
  disposeAfterEach();
  const on = onBothDrivers();

  const suite = (tests: Files) =>
    tinyTask({
      'task.toml': `schema_version = "1.0"
[task]
name = "test/ahead"
[proctor]
grader = "pytest"
[proctor.artifact]
include = ["**/*.py"]
[proctor.pytest]
modules = ["told", "pack"]
`,
      ...{ 'tests/oracle.py': null, 'environment/double.py': null, 'solution/double.py': null },
      'environment/told.py': '',
      ...tests,
    });

  const TESTS = {
    'tests/helpers.py': 'from told import It\n\n\ndef made():\n    return It(3)\n',
    'tests/test_one.py': `import pytest
import told
from pack import inner
from pack.inner import deep
from told import LIMIT, It, tell as say


@pytest.fixture
def it():
    return It(2)


@pytest.mark.parametrize("n", [1, 2])
def test_say(n, it):
    assert say(n) == [n, it.n, LIMIT]
    assert told.say is say


class TestDeep:
    def test_deep(self):
        assert deep() == "deep"
`,
    // what is there at the fork is frozen, and is not among what the collector knows
    'tests/test_when.py': `import gc

import pytest


def test_when():
    known = any(one is test_when for one in gc.get_objects())
    pytest.skip("collected for this candidate" if known else "collected ahead")
`,
    'tests/test_two.py': `from helpers import made
from told import It


def test_made():
    assert isinstance(made(), It) and made().n == 3
`,
  };
  const RIGHT = {
    'told.py':
      'LIMIT = 7\n\n\nclass It:\n    def __init__(self, n):\n        self.n = n\n\n\ndef tell(n):\n    return [n, 2, LIMIT]\n\n\nsay = tell\n',
    'pack/__init__.py': '',
    'pack/inner.py': 'def deep():\n    return "deep"\n',
  };
  const counted = (every: string) =>
    `import os\n\nfirst = not os.path.exists("/tmp/seen")\nopen("/tmp/seen", "w").close()\n${every}\n${RIGHT['told.py']}`;

  /** The facts of a grade without when its suite was collected, and that apart. */
  const split = (body: GradeBody) => {
    const { cases, ...rest } = facts(body);
    const isWhen = ({ id }: { id: string }) => id.includes('test_when');
    return { facts: { ...rest, cases: cases.filter((one) => !isWhen(one)) }, when: cases.find(isWhen)?.note ?? '' };
  };
  /** Grades until the suite is collected ahead. */
  const untilAhead = (task: Task) =>
    vi.waitFor(async () => expect(split(await grade(on.fork, task, RIGHT)).when).toContain('collected ahead'), {
      timeout: 10_000,
      interval: 200,
    });

  test.each<[string, Files]>([
    ['is right', RIGHT],
    ['is wrong', { ...RIGHT, 'told.py': RIGHT['told.py'].replace('LIMIT]', '"no"]') }],
    ['lacks a name', { ...RIGHT, 'told.py': RIGHT['told.py'].replace('LIMIT = 7', 'limit = 7') }],
    ['lacks a module', { 'told.py': RIGHT['told.py'] }],
    ['lacks a submodule', { 'told.py': RIGHT['told.py'], 'pack/__init__.py': '' }],
    ['has the name where the submodule was', { ...RIGHT, 'pack/__init__.py': 'inner = 3\n' }],
    ['raises at its first import only', { ...RIGHT, 'told.py': counted('if first:\n    raise OSError("once")\n') }],
    ['leaves at its first import only', { ...RIGHT, 'told.py': counted('if first:\n    raise SystemExit(3)\n') }],
    ['raises what is no Exception', { ...RIGHT, 'told.py': `${RIGHT['told.py']}\nraise BaseException("x")\n` }],
    [
      'has a submodule that raises at its first import only',
      { ...RIGHT, 'pack/inner.py': `${counted('if first:\n    raise OSError("once")\n')}\n${RIGHT['pack/inner.py']}` },
    ],
    [
      'has a module that changes another one',
      { ...RIGHT, 'pack/__init__.py': 'import told\n\ntold.LIMIT = 100\ntold.It.n = 5\n' },
    ],
    ['ends at its first import only', { ...RIGHT, 'told.py': counted('if first:\n    os._exit(0)\n') }],
    [
      'has what pytest would take for a test',
      {
        ...RIGHT,
        'told.py': RIGHT['told.py'].replace('class It:', 'from unittest import TestCase as It\n\n\nclass Other:'),
      },
    ],
    [
      'has a function instead of the class',
      { ...RIGHT, 'told.py': `${RIGHT['told.py']}\n\ndef It(n):\n    return n\n` },
    ],
  ])('an artifact that %s is graded as it is one-shot, to the notes', async (_, files) => {
    const task = await loadTask(await suite(TESTS));
    const expected = split(await grade(on.oneShot, task, files)).facts;
    await untilAhead(task);
    expect(split(await grade(on.fork, task, files)).facts).toEqual(expected);
    await untilAhead(task);
  });

  const ASKING = `import gc

import told


def test_told():
    known = any(one is test_told for one in gc.get_objects())
    raise ValueError("collected for this candidate" if known else "collected ahead")
`;

  test.each<[string, string, string]>([
    ['only defines things', ASKING, 'collected ahead'],
    ['runs something at import', `${ASKING}\nKNOWN = told.__name__\n`, 'collected for this candidate'],
  ])('a suite that %s', async (_, text, note) => {
    const task = await loadTask(await suite({ 'tests/test_told.py': text }));
    await prepare(on.fork, task, { 'told.py': '' });
    expect(notesOf(await grade(on.fork, task, { 'told.py': '' }))[0]).toContain(note);
  });
});
