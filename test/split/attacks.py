"""Attacks on the examiner of hidden pytest suites, each a named case that says what must hold.

    python3 attacks.py [--only TEXT] [--jobs 2]

Prints one JSON summary; the exit code is 1 when a case fails. Standard library only; needs pytest beside the interpreter.
"""

import argparse
import concurrent.futures
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import foe  # noqa: E402
import pretend_service as service  # noqa: E402
import styles  # noqa: E402

CASES = {}

# a test that only the attacked call can spoil, and one after it that an examiner in good order still fails honestly
PLAIN = """\
import solution
SECRET = "%s"

def callback(value=None):
    return value

def test_a():
    assert solution.f(callback) == 4711

def test_b():
    assert solution.f(callback) == 4712
""" % foe.MARK


def case(function):
    """Registers a case: it gives a list of complaints."""
    CASES[function.__name__] = function
    return function


def against(name, tests=PLAIN, **settings):
    """A run of a suite against one raw attack."""
    return service.run_suite({"test_a.py": tests}, raw=[sys.executable, "-I", "-B", os.path.join(HERE, "foe.py"), name], **settings)


def survived(run, bound=None):
    """Complaints about an examiner that did not come to its end in good order."""
    found = []
    if run.done is None:
        found.append("the examiner did not finish: exit %s after %.0f s: %s" % (run.exit, run.seconds, run.errors[-300:]))
    if run.duplicates:
        found.append("told twice: %s" % run.duplicates)
    if bound is not None and run.seconds > bound:
        found.append("took %.1f s" % run.seconds)
    for name in ("leaks", "marker", "allowed", "reached"):
        if name in run.seen:
            found.append("%s: %s" % (name, run.seen[name][:1_500]))
    return found


def none_passed(run, bound=None):
    """As `survived`, and nothing may have passed."""
    return survived(run, bound) + ["passed: %s" % name for name in run.passed()]


def _raw_case(name, bound):
    def attack():
        return none_passed(against(name, case_ms=1_000, limit=bound + 20), bound)

    CASES["raw_" + name] = attack


for _name in foe.ATTACKS:
    if _name not in ("escape",) and not _name.startswith("trick_"):
        _raw_case(_name, 15 if _name not in ("log_flood", "much_data") else 30)

HANDED = """\
import contextlib, functools, io, logging, random, re, threading, types, unittest, weakref
from unittest import mock
import pytest
import solution

SECRET = "%(mark)s"

def callback(value=None, default="%(mark)s"):
    local = "%(mark)s"
    return value

class Fake:
    def __init__(self):
        self.rows = [1]
    def save(self):
        return len(self.rows)
    @property
    def size(self):
        return len(self.rows)

class Unseen:
    held = "%(mark)s"

UNSEEN = Unseen()

def closure(hidden):
    def inner(value=None):
        return value if hidden else None
    return inner

def generator():
    local = "%(mark)s"
    for number in range(3):
        yield number

@contextlib.contextmanager
def manager():
    local = "%(mark)s"
    yield 1

def error():
    local = "%(mark)s"
    try:
        raise KeyError("key")
    except KeyError as caught:
        try:
            raise ValueError("text") from caught
        except ValueError as second:
            return second

class Case(unittest.TestCase):
    __test__ = False
    def runTest(self):
        pass
    def listen(self, *args):
        return None

class TestIt:
    def listen(self, *args):
        return None

    def test_escape(self, request, monkeypatch, capsys, caplog, tmp_path, recwarn):
        with pytest.raises(ValueError) as info:
            raise error()
        case = Case()
        stack = contextlib.ExitStack()
        kept = weakref.ref(UNSEEN)
        things = [callback, Fake(), Fake, closure("%(mark)s"), generator(), case.listen, case, Case, self.listen, mock.Mock(), mock.MagicMock(wraps=len), error(), info,
                  request, request.node, request.config, monkeypatch, capsys, caplog, recwarn, functools.partial(callback, 1), manager(), stack, io.StringIO("x"), kept,
                  logging.getLogger("x"), threading.Lock(), threading.current_thread(), types.SimpleNamespace(a=1), random.Random(1), re.match("a", "a"), property(callback),
                  functools.lru_cache(callback), staticmethod(callback), map(callback, [1]), Fake().save, monkeypatch.setattr, request.getfixturevalue, pytest.raises,
                  logging.getLogger, re.compile, type("Made", (Fake,), {}), object(), iter([1]), super(Case, case), (lambda *a: a), functools.cached_property(callback)]
        sent = []
        for thing in things:
            try:
                solution.f(thing)
                sent.append(thing)
            except Exception:
                pass
        assert solution.f(*sent) == 4711
""" % {"mark": foe.MARK}


@case
def escape_from_what_is_handed_over():
    run = against("escape", HANDED, case_ms=60_000, limit=100)
    shown = ("builtins.getset_descriptor", "unittest.mock.Mock", "unittest.mock.MagicMock", "test_a.Unseen", "functools.CacheInfo")  # by what was handed over itself
    rest = [line for line in run.seen.pop("reached", "").splitlines() if not line.startswith(shown)]
    found = none_passed(run) + ["reached " + line for line in rest]
    if "asked" not in run.seen:
        found.append("the walk did not end: %s %s" % (run.losses, [told["note"][-500:] for told in run.results.values()]))
    return found


TRICK_SUITE = """\
import solution
SECRET = "%s"

def callback(value=None):
    return value

class Fake:
    value = 5
    def __init__(self):
        self.rows = []

def test_a():
    assert solution.f(callback, Fake(), Fake) == 4711
""" % foe.MARK


def _trick_case(index):
    def attack():
        run = against("trick_%d" % index, TRICK_SUITE, case_ms=2_000, limit=20)
        found = none_passed(run, 12)
        if run.hidden_after != ["test_a.py"]:
            found.append("files in the tests' folder: %s" % run.hidden_after)
        return found

    CASES["trick_%d" % index] = attack


for _index in range(foe.TRICKS):
    _trick_case(_index)


# answers that were never computed


def _wrong_passes():
    """The styles that some plain wrong value passes: no forgery."""
    space = {}
    exec(styles.IMPORTS + "from unittest import mock\n", space)
    space["pytest"] = _NoPytest
    passed = set()
    for name, (_, body) in styles.STYLES.items():
        for wrong in styles.PLAIN_WRONG:
            try:
                exec("def run(a):\n    %s\n" % body, space)
                space["run"](eval(wrong, dict(space)))
            except Exception:
                continue
            passed.add("test_" + name)
    return passed


class _NoPytest:
    @staticmethod
    def approx(value):
        return value


_REFERENCE = {}


def reference():
    """What an honest solution needed to be believed in."""
    if not _REFERENCE:
        run = service.run_suite({"test_styles.py": styles.suite()}, {"solution.py": styles.honest()}, record=True)
        failed = {name: told["note"][-300:] for name, told in run.results.items() if told["status"] != "passed"}
        _REFERENCE.update(known=service.known_of(run), complaints=["honest but %s" % failed] if failed or len(run.results) != len(styles.STYLES) else [], wrong=_wrong_passes())
    return _REFERENCE


@case
def honest_answers_pass():
    again = service.run_suite({"test_styles.py": styles.suite()}, {"solution.py": styles.honest()}, known=reference()["known"])
    return reference()["complaints"] + survived(again) + ["honest, but failed: %s" % name for name in styles.STYLES if "test_" + name not in again.passed()]


def _hollow_case(name):
    def attack():
        run = service.run_suite({"test_styles.py": styles.suite()}, {"solution.py": styles.hollow(name)}, known=reference()["known"], case_ms=1_000, limit=240)
        return survived(run) + ["passed: %s" % test for test in run.passed() if test not in reference()["wrong"]]

    CASES["hollow_" + name] = attack


for _name in styles.HOLLOW:
    _hollow_case(_name)


def forge(name, tests, honest, hostile, also=(), refused=()):
    """A case: the honest solution passes every test (but those in `refused`), the hostile one none (but those in `also`)."""

    def attack():
        hidden = {"test_a.py": tests}
        truth = service.run_suite(hidden, {"solution.py": honest}, record=True)
        found = ["honest, but %s: %s: %s" % (key, told["status"], told["note"][-300:]) for key, told in truth.results.items()
                 if told["status"] != "passed" and key.split("::")[-1] not in refused]
        if not truth.results:
            found.append("no tests: %s %s" % (truth.collected, truth.errors[-300:]))
        run = service.run_suite(hidden, {"solution.py": hostile} if isinstance(hostile, str) else hostile, known=service.known_of(truth), case_ms=2_000, limit=60)
        return found + survived(run) + ["passed: %s" % test for test in run.passed() if test not in also]

    CASES[name] = attack


forge("mutated_arguments", """
import solution
def test_a():
    rows = [{"a": 3}, {"a": 1}, {"a": 2}]
    assert solution.order(rows) == [rows[1], rows[2], rows[0]]
""", "def order(rows):\n    return sorted(rows, key=lambda row: row['a'])\n", "def order(rows):\n    for row in rows:\n        row.clear()\n    return rows\n")

forge("aliased_argument", """
import solution
def test_a():
    data = [3, 1, 2]
    result = solution.order(data)
    assert result == sorted(data) and data == [3, 1, 2]
""", "def order(rows):\n    return sorted(rows)\n", "def order(rows):\n    rows.clear()\n    return rows\n")

forge("star_import", """
import pytest
from solution import *
def test_all():
    assert all(a == b for a, b in zip(answer(), [47, 11])) and answer()
def test_len():
    assert len(answer()) == 2
def test_sorted():
    assert sorted(answer()) == [11, 47]
def test_abs():
    assert abs(answer()[0] - 47) < 1e-6
def test_raises():
    with pytest.raises(ValueError):
        fail()
""", "def answer():\n    return [47, 11]\ndef fail():\n    raise ValueError\n", """
__all__ = ["answer", "fail", "all", "len", "sorted", "abs", "pytest", "zip", "isinstance", "set"]
class _P:
    raises = lambda *a: _P()
    def __enter__(self): return self
    def __exit__(self, *a): return True
pytest = _P()
def answer(): return [1]
def fail(): pass
def all(x): return True
def abs(x): return 0
def len(x): return 2
def sorted(x): return [11, 47]
def zip(*a): return []
def isinstance(*a): return True
def set(*a): return ()
""", also=("test_sorted",))

forge("mock_assertions", """
import solution
from unittest import mock
def test_once():
    m = mock.Mock()
    solution.use(m)
    m.assert_called_once_with(47, k=11)
def test_method():
    m = mock.Mock()
    solution.use_method(m)
    m.save.assert_called_once_with([47])
def test_count():
    m = mock.Mock()
    solution.use(m)
    assert m.call_count == 1 and m.call_args == mock.call(47, k=11)
def test_list():
    m = mock.Mock()
    solution.use(m)
    assert m.call_args_list == [mock.call(47, k=11)] and m.mock_calls == [mock.call(47, k=11)]
def test_patched(monkeypatch):
    seen = []
    monkeypatch.setattr(solution, "sink", seen.append)
    solution.use(solution.sink)
    assert seen == [47] if not isinstance(seen, list) else True
def test_spec():
    m = mock.create_autospec(lambda a, k=None: None)
    solution.use(m)
    m.assert_called_once_with(47, k=11)
""".replace("def test_patched", "def _patched"), "def use(m):\n    m(47, k=11)\ndef use_method(m):\n    m.save([47])\n", """
class Any:
    def __eq__(self, other): self.seen = other; return True
    def __ne__(self, other): return False
    def __iter__(self): return iter(getattr(self, 'seen', ()))
    def __len__(self): return 2
yes = lambda *a, **k: None
def use(m):
    for action in (lambda: setattr(m, 'assert_called_once_with', yes), lambda: m.configure_mock(**{'assert_called_once_with': yes}), lambda: setattr(m, 'call_args', Any()),
                   lambda: setattr(m, 'call_count', 1), lambda: setattr(m, 'call_args_list', Any()), lambda: setattr(m, 'mock_calls', Any()), lambda: setattr(m, '_mock_call_args', Any()),
                   lambda: m.__dict__.update(assert_called_once_with=yes), lambda: setattr(type(m), 'assert_called_once_with', yes), lambda: m.mock_add_spec(Any), lambda: m(Any(), k=Any())):
        try: action()
        except BaseException: pass
def use_method(m):
    try: use(m.save)
    except BaseException: pass
    try: m.save = yes
    except BaseException: pass
    try: m.save.assert_called_once_with = yes
    except BaseException: pass
    try: m.attach_mock(yes, 'save')
    except BaseException: pass
""")

forge("fakes_of_the_tests", """
import solution
class Fake:
    def __init__(self):
        self.rows = []
        self.closed = False
    def save(self, row):
        self.rows.append(row)
    def check(self):
        assert self.rows == [{"k": 47}], self.rows
    @property
    def total(self):
        return len(self.rows)
def test_rows():
    fake = Fake()
    solution.use(fake)
    assert fake.rows == [{"k": 47}]
def test_check():
    fake = Fake()
    solution.use(fake)
    fake.check()
""", "def use(fake):\n    fake.save({'k': 47})\n", """
class Any(dict):
    def __eq__(self, other): self.seen = other; return True
    def __ne__(self, other): return False
    def __hash__(self): return 1
    def __iter__(self): return iter(getattr(self, 'seen', ()))
    def __len__(self): return 1
    def __getitem__(self, key): return Any()
yes = lambda *a, **k: None
def use(fake):
    for action in (lambda: fake.save(Any()), lambda: setattr(fake, 'rows', Any()), lambda: setattr(fake, 'check', yes), lambda: setattr(type(fake), 'check', yes),
                   lambda: setattr(fake, 'verify', yes), lambda: setattr(fake, 'row', Any()), lambda: setattr(type(fake), '__eq__', yes), lambda: fake.__dict__.update(check=yes),
                   lambda: delattr(fake, 'check'), lambda: setattr(fake, '__class__', Any)):
        try: action()
        except BaseException: pass
""")

forge("ran_by_the_test", """
import json, pickle
import solution
def test_pickle():
    assert pickle.loads(solution.dump({"k": 47})) == {"k": 47}
def test_eval():
    assert eval(solution.source()) == {"k": 47}
def test_exec():
    space = {}
    exec(solution.code(), space)
    assert space["f"](40) == 47
def test_import(tmp_path, monkeypatch):
    solution.generate(str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    import generated_module
    assert generated_module.f(40) == 47
""", """
import os, pickle
def dump(value): return pickle.dumps(value)
def source(): return "{'k': 40 + 7}"
def code(): return "def f(x):\\n    return x + 7\\n"
def generate(folder):
    with open(os.path.join(folder, 'generated_module.py'), 'w') as file: file.write(code())
""", """
import os
ATTACK = "__import__('builtins').__dict__.__setitem__('reached', 1)"
LIE = "(lambda t: t)(type('A', (), {'__eq__': lambda s, o: True}))()"
class Run:
    def __reduce__(self): return eval, (LIE,)
def dump(value):
    import pickle
    return pickle.dumps(Run())
def source(): return LIE
def code(): return "def f(x):\\n    return %s\\n" % LIE
def generate(folder):
    with open(os.path.join(folder, 'generated_module.py'), 'w') as file: file.write(code())
""", refused=("test_pickle", "test_eval", "test_exec", "test_import"))

forge("names_of_tests", """
import solution
from solution import *
def test_a():
    assert solution.answer() == 4711
""", "def answer():\n    return 4711\n", """
class TestPlanted:
    def test_planted(self): pass
def test_planted(): pass
def setup_module(*a): pass
def setup_function(*a): pass
pytestmark = []
pytest_plugins = ['x']
__test__ = False
def pytest_runtest_makereport(*a): pass
def __getattr__(name): return lambda *a, **k: True
__all__ = ['TestPlanted', 'test_planted', 'setup_module', 'setup_function', 'answer']
def answer(): return None
""")

for _label, _raise in {
    "stop": "StopIteration(4711)", "generator_exit": "GeneratorExit()", "interrupt": "KeyboardInterrupt()", "exit": "SystemExit(0)", "skip": "__import__('unittest').SkipTest('x')",
    "quit": "__import__('bdb').BdbQuit()", "base": "type('B', (BaseException,), {})()", "all": "type('E', (ValueError, KeyError, AttributeError, OSError), {})()",
    "assertion": "AssertionError()", "cancelled": "__import__('asyncio').CancelledError()", "group": "BaseExceptionGroup('x', [KeyboardInterrupt()])",
    "import_error": "ImportError('x')", "pytest_exit": "type('Exit', (Exception,), {'__module__': '_pytest.outcomes', 'returncode': 0, 'msg': 'x'})()",
    "recursion": "RecursionError()", "memory": "MemoryError()",
}.items():
    for _where, _hostile in {
        "import": "raise %s\n", "call": "def answer():\n    raise %s\n",
        "eq": "class A:\n    def __eq__(self, o):\n        raise %s\n    __hash__ = None\n    def __iter__(self):\n        return self.__eq__(1)\ndef answer():\n    return A()\n",
        "repr": "class A:\n    def __repr__(self):\n        raise %s\n    __str__ = __repr__\ndef answer():\n    return A()\n",
        "property": "class A:\n    @property\n    def size(self):\n        raise %s\n    __len__ = __bool__ = __iter__ = lambda self: self.size\n    def __del__(self):\n        self.size\ndef answer():\n    return A()\n",
    }.items():
        forge("raises_%s_in_%s" % (_label, _where), """
import pytest
import solution
def test_a():
    assert solution.answer() == [4711]
def test_b():
    a = solution.answer()
    assert len(a) == 1 and a[0] == 4711, repr(a)
@pytest.fixture
def answer():
    yield solution.answer()
    solution.answer()
def test_c(answer):
    assert [x for x in answer] == [4711]
def test_d():
    a = solution.answer()
    del a
    assert "%s" % solution.answer() == "[4711]"
""", "def answer():\n    return [4711]\n", _hostile % _raise)

forge("carriers", """
import logging, warnings
import pytest
import solution
def test_warns():
    with pytest.warns(UserWarning, match="mar-ble") as record:
        solution.warn()
    assert len(record) == 1 and str(record[0].message) == "mar-ble"
def test_log(caplog):
    with caplog.at_level(logging.INFO):
        solution.log()
    assert caplog.messages == ["mar-ble 47"]
def test_output(capsys):
    solution.show()
    assert capsys.readouterr().out == "mar-ble\\n"
def test_raises():
    with pytest.raises(solution.Problem) as info:
        solution.fail()
    assert info.value.args == ("mar-ble", 47) and info.value.code == [1, 2]
def test_match():
    with pytest.raises(ValueError, match=r"^mar-ble \\d+$"):
        solution.fail_text()
""", """
import logging, warnings
class Problem(Exception):
    code = [1, 2]
def warn(): warnings.warn("mar-ble", UserWarning)
def log(): logging.getLogger("x").warning("mar-ble %d", 47)
def show(): print("mar-ble")
def fail(): raise Problem("mar-ble", 47)
def fail_text(): raise ValueError("mar-ble 47")
""", """
import logging, warnings, sys
class Any:
    def __eq__(self, o): self.seen = o; return True
    def __ne__(self, o): return False
    def __iter__(self): return iter(getattr(self, 'seen', ()))
    def __len__(self): return 2
    def __str__(self): return str(getattr(self, 'seen', ''))
class AnyText(str):
    def __eq__(self, o): return True
    def __ne__(self, o): return False
    def __hash__(self): return 0
class Problem(Exception):
    code = Any()
    args = property(lambda self: Any())
class W(UserWarning):
    def __str__(self): return AnyText('x')
    def __eq__(self, o): return True
def warn(): warnings.warn(W(Any()))
def log(): logging.getLogger('x').warning(AnyText('x'))
def show():
    sys.stdout.write(AnyText('x'))
    sys.stdout = Any()
def fail(): raise Problem(Any())
def fail_text():
    class E(ValueError):
        def __str__(self): return AnyText('x')
    raise E(Any())
""")


@case
def module_in_place_of_a_module():
    hostile = "import sys\nclass M:\n    def __getattr__(self, name):\n        return lambda *a, **k: type('A', (), {'__eq__': lambda s, o: True, '__iter__': lambda s: iter([4711])})()\nsys.modules[__name__] = M()\n"
    return none_passed(service.run_suite({"test_a.py": PLAIN}, {"solution.py": hostile}, known={}, case_ms=2_000))


@case
def ends_its_process():
    found = []
    for end in ("import os; os._exit(0)", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "import sys; sys.exit(0)"):
        for text in (end + "\n", "def f(*a):\n    %s\n" % end):
            found += none_passed(service.run_suite({"test_a.py": PLAIN}, {"solution.py": text}, known={}, case_ms=2_000), 30)
    return found


@case
def names_itself_as_the_runner():
    hostile = """
import sys
class Report: outcome = 'passed'; when = 'call'
def f(callback):
    for name in ('_pytest', 'pytest', 'pluggy'):
        module = sys.modules.get(name)
    frame = sys._getframe()
    while frame is not None:
        for value in list(frame.f_locals.values()):
            for attribute in ('words', 'operations', 'link'):
                try: setattr(value, attribute, None) if attribute == 'words' else getattr(value, attribute)
                except BaseException: pass
        frame = frame.f_back
    return type('A', (int,), {'__eq__': lambda s, o: True, '__hash__': lambda s: 0})(5)
"""
    return none_passed(service.run_suite({"test_a.py": PLAIN}, {"solution.py": hostile}, known={}, case_ms=2_000))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = [name for name in CASES if options.only in name]
    if any(name.startswith("hollow") or name.startswith("honest") for name in chosen):
        reference()
    start, failures = time.monotonic(), []

    def one(name):
        begun = time.monotonic()
        try:
            found = CASES[name]()
        except Exception as error:
            found = ["%s: %s" % (type(error).__name__, error)]
        print("%-40s %s %.1f s" % (name, "ok" if not found else "FAILED " + "; ".join(found)[:700], time.monotonic() - begun), file=sys.stderr, flush=True)
        return {"case": name, "found": [text[:2_000] for text in found]} if found else None

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        failures = [told for told in pool.map(one, chosen) if told]
    print(json.dumps({"cases": len(chosen), "failures": failures, "seconds": round(time.monotonic() - start, 1)}))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
