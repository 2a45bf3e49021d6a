"""What of a suite's run can be done ahead, in a process that never sees a candidate: all that comes before collection.

A suite of which something would be lost by that (it asks for the artifact, opens files or starts threads before collection,
or leaves files behind) is run from the start each time. That is found out by trying, in a process of its own.
"""

import contextlib
import os
import shutil
import sys
import threading

import frames
import pytest
from _pytest.assertion import rewrite

from .suite import Suite, arguments

SCRATCH = "/tmp"
NOTHING = os.devnull
OWN_DESCRIPTORS = 3
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
    """Tries it in a process that is thrown away."""
    with _leaving_nothing(SCRATCH):
        return _tried(told)


def _tried(told):
    pid = os.fork()
    if pid == 0:
        try:
            before = _files(told)
            Suite(told).run(_Stop(lambda: os._exit(0 if _is_clean() and _files(told) == before else 5)))
        finally:
            os._exit(4)
    _, status = os.waitpid(pid, 0)
    return status == 0


def _is_clean():
    if threading.active_count() > 1:
        return False
    opened = [name for name in os.listdir("/proc/self/fd") if int(name) >= OWN_DESCRIPTORS]
    places = [os.readlink("/proc/self/fd/" + name) for name in opened if os.path.islink("/proc/self/fd/" + name)]
    return all(place == NOTHING or place.startswith(("socket:", "pid:", "anon_inode:")) for place in places)


def _files(told):
    own = os.path.join(told["scratch"], "pytest.ini")
    return {
        os.path.join(root, name)
        for top in (told["tests"], SCRATCH, "/dev/shm")
        for root, _, files in os.walk(top)
        for name in files
        if os.path.join(root, name) != own
    }


def run_from_collection(told, enter):
    """Runs a suite up to its collection, and goes on from there in each process that `enter` returns in."""
    suite = Suite(told)

    def go_on():
        control, link_ends = enter()
        suite.join(control, link_ends, frames.read_frame(control[0]))

    suite.run(_Stop(go_on))


class _Stop:
    """A plugin that stops where the collection begins, with nothing of pytest's open that must not be shared."""

    def __init__(self, go_on):
        self._go_on = go_on

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session):
        """Goes on somewhere else."""
        _rewrite_ahead(session.config)
        capture = session.config.pluginmanager.getplugin("capturemanager")
        capture.stop_global_capturing()
        self._go_on()
        capture.start_global_capturing()
        capture.suspend_global_capture()


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
