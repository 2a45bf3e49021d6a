import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const MAKER = fileURLToPath(new URL('../../graders/native/make_twins.py', import.meta.url));

interface Made {
  readonly source: string;
  readonly tests: Readonly<Record<string, string>>;
  readonly twins: Readonly<Record<string, { readonly of: string; readonly row: number | null }>>;
}

/** What the maker makes of one file. */
function make(source: string, { seed = 'one', without = [] as string[] } = {}): Made | undefined {
  const input = JSON.stringify({ seed, files: { 'test_a.py': source }, without: { 'test_a.py': without } });
  const output = execFileSync('/usr/bin/python3', ['-I', '-B', MAKER], { input, encoding: 'utf8', stdio: 'pipe' });
  return (JSON.parse(output) as { files: Record<string, Made> }).files['test_a.py'];
}

/** Runs every test of a file with pytest and tells which passed, by their names in it. */
function run(source: string): Record<string, boolean> {
  const script = `
import json, os, sys, tempfile, pytest
folder = tempfile.mkdtemp()
with open(os.path.join(folder, "test_a.py"), "w") as file:
    file.write(sys.stdin.read())
told = {}
class Plugin:
    def pytest_runtest_logreport(self, report):
        name = "::".join(report.nodeid.split("::")[1:]).split("[")[0]
        if report.when == "call":
            told[name] = told.get(name, True) and report.passed
pytest.main(["-p", "no:cacheprovider", "-p", "no:terminal", folder], plugins=[Plugin()])
print("\\n" + json.dumps(told))
`;
  const output = execFileSync('/usr/bin/python3', ['-I', '-B', '-c', script], { input: source, encoding: 'utf8' });
  return JSON.parse(output.trim().split('\n').at(-1) ?? '{}');
}

/** The tests that a twin was made of. */
function twinned(made: Made | undefined): readonly string[] {
  return Object.values(made?.twins ?? {})
    .map(({ of }) => of)
    .sort();
}

const RIGHT = `
import unittest
import pytest

def double(x):
    if not isinstance(x, (int, float, str, list)):
        raise TypeError(x)
    return x + x

def test_number():
    assert double(2) == 4

def test_text():
    assert "abab" == double("ab")

def test_list():
    assert double([1, True]) == [1, True, 1, True]

def test_nothing():
    assert double("") == ""
    assert double([]) == []

def test_close():
    assert double(0.1) == pytest.approx(0.2, abs=3.0)

def test_truth():
    assert double(1)

def test_order():
    assert double(3) > double(2)

def test_is():
    assert (double(3) == 6) is True

def test_raises():
    with pytest.raises(TypeError):
        double(None)

def test_local():
    expected = {"a": (1, None), "b": {2.5}}
    assert {"a": (1, None), "b": {double(1.25)}} == expected

@pytest.mark.parametrize("given, expected", [(1, 2), (2, 4), ("x", "xx")])
def test_rows(given, expected):
    assert double(given) == expected

class TestCases(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(double(4), 8)

    def test_in(self):
        self.assertIn(double(4), [1, 8])
`;

test.each(['one', 'two', 'three', 'four'])(
  'with right code every test passes and every twin fails (seed %s)',
  (seed) => {
    const made = make(RIGHT, { seed });
    const told = run(made?.source ?? '');
    expect(twinned(made)).toEqual(Object.values(made?.tests ?? {}).sort());
    expect(Object.keys(made?.twins ?? {})).toHaveLength(13);
    for (const name of Object.keys(made?.tests ?? {})) expect([name, told[name]]).toEqual([name, true]);
    for (const name of Object.keys(made?.twins ?? {})) expect([name, told[name]]).toEqual([name, false]);
  },
);

test('names are drawn anew for each run; what is expected is drawn from the seed', () => {
  const [first, again, other] = [make(RIGHT), make(RIGHT), make(RIGHT, { seed: 'other' })];
  const plain = (made: Made | undefined) => {
    const names = Object.keys({ ...made?.tests, ...made?.twins }).map((name) => name.split('::').at(-1) ?? name);
    const functions = (made?.source ?? '').split(/\n(?=\s*(?:@|def |class ))/);
    return functions
      .map((text) => text.trim())
      .map((text) => names.reduce((left, name) => left.replaceAll(name, 'NAME'), text))
      .sort();
  };
  expect(Object.keys(first?.twins ?? {})).not.toEqual(Object.keys(again?.twins ?? {}));
  expect(plain(first)).toEqual(plain(again));
  expect(plain(first)).not.toEqual(plain(other));
});

const NONE = `
import pytest

def test_way_out():
    if f(1):
        return
    assert f(2) == 3

def test_loop():
    for x in f(1):
        assert x == 1

def test_caught():
    try:
        assert f(1) == 1
    except ValueError:
        pass

@pytest.mark.xfail
def test_expected_to_fail():
    assert f(1) == 2

@pytest.mark.skipif(True, reason="no")
def test_skipped():
    assert f(1) == 2

def test_skips_itself():
    pytest.skip("no")
    assert f(1) == 2

def test_inside():
    with pytest.raises(Exception):
        assert f(1) == 2

def test_own_words():
    assert 1 == 1

def test_nothing_asked():
    f(1)

@pytest.fixture
def given():
    yield f(1)
`;

test('where a right answer might pass the twin too, none is made', () => {
  expect(make(NONE)).toMatchObject({ twins: {} });
  expect(Object.keys(make(NONE)?.tests ?? {})).toHaveLength(9);
});

test('tests that are named are left alone, and a file that is no Python is none of ours', () => {
  expect(twinned(make(RIGHT, { without: ['test_number'] }))).not.toContain('test_number');
  expect(make('def test_a(:\n')).toBeUndefined();
});
