"""What of a suite's run can be done ahead, in a process that never sees a candidate: all that comes before collection.

Only what is ours and pytest's runs ahead. A suite with a conftest.py is run from the start each time: what that draws, opens,
reads from a clock or starts would be the same for all grades, and it would run here with rights that suites do not have.
"""

import contextlib
import os
import shutil
import sys

import frames
import pytest
from _pytest.assertion import rewrite

from .ahead import CONFIGURATIONS, Collection, can_collect
from .suite import Suite, arguments

SCRATCH = "/tmp"
TRIAL = '''
import pytest

@pytest.fixture
def thing(tmp_path, monkeypatch, capsys):
    yield tmp_path

@pytest.mark.parametrize("value", [1, 2])
def test_passes(thing, value):
    print("x")
    assert [value, "a"] == [value, "a"]

def test_fails():
    assert {"a": [1, 2]} == {"a": [1, 3]}

def test_raises():
    with pytest.raises(ValueError, match="x"):
        raise ValueError("x")

class TestClass:
    def test_error(self):
        raise KeyError("x")
'''


def warm_up():
    """Runs a small suite once, so that what pytest loads and remembers on the way is there for all that come."""
    folder, cwd, paths = os.path.join(SCRATCH, "warm"), os.getcwd(), list(sys.path)
    with _leaving_nothing(SCRATCH):
        os.mkdir(folder)
        with open(os.path.join(folder, "test_warm_up.py"), "w", encoding="ascii") as file:
            file.write(TRIAL)
        pytest.main(arguments(folder, {"scratch": folder}))
    os.chdir(cwd)
    sys.path[:] = paths
    sys.modules.pop("test_warm_up", None)


@contextlib.contextmanager
def _leaving_nothing(folder):
    """Removes what is new in a folder afterwards."""
    before = set(os.listdir(folder))
    try:
        yield
    finally:
        for name in set(os.listdir(folder)) - before:
            path = os.path.join(folder, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)


def can_stop_at_collection(told):
    """Whether nothing of the suite's own would run ahead: no conftest.py, and no plugin that its configuration names."""
    for root, _, files in os.walk(told["tests"]):
        if "conftest.py" in files:
            return False
        for name in files:
            if name in CONFIGURATIONS and "-p" in open(os.path.join(root, name), encoding="utf-8", errors="replace").read():
                return False
    return True


def run_from_collection(told, enter):
    """Runs a suite up to its collection, and goes on from there in each process that `enter` returns in."""
    suite = Suite(told)

    def go_on():
        control, link_ends = enter()
        suite.join(control, link_ends, frames.read_frame(control[0]))

    suite.run(_Stop(suite, told, go_on))


class _Stop:
    """A plugin that stops where the collection begins or has been, with nothing of pytest's open that must not be shared."""

    def __init__(self, suite, told, go_on):
        self._suite, self._told, self._go_on = suite, told, go_on

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session):
        """Goes on somewhere else. Returns True when the collection is done."""
        _rewrite_ahead(session.config)
        collection = Collection(session, self._suite) if can_collect(self._told, session.config) else None
        capture = session.config.pluginmanager.getplugin("capturemanager")
        capture.stop_global_capturing()
        self._go_on()
        capture.start_global_capturing()
        if collection is not None and collection.ready:
            collection.bind()
        capture.suspend_global_capture()
        if collection is None or not collection.ready:
            return None
        self._suite.plugin.tell_collected(session)
        return True


def _rewrite_ahead(config):
    """Compiles the suite's test files as pytest will, and remembers that."""
    compiled, compile_now = {}, rewrite._rewrite_test
    for root, _, files in os.walk(str(config.rootpath)):
        for name in files:
            if name.endswith(".py"):
                path = config.rootpath / os.path.join(root, name)
                try:
                    compiled[str(path)] = compile_now(path, config)
                except (SyntaxError, ValueError, OSError):
                    continue  # told when it is collected
    rewrite._rewrite_test = lambda path, config: compiled.get(str(path)) or compile_now(path, config)
