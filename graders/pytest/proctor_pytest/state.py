"""Process-wide state that tests set on this side and the artifact must see on its own."""

import locale
import logging
import os
import random
import subprocess
import sys
import time
import types
from unittest import mock

from _pytest.monkeypatch import MonkeyPatch
from proctor_split.remote import RemoteModule

# of pytest's own: not the candidate's business
_PRIVATE_VARIABLES = ("PYTEST_CURRENT_TEST", "PYTEST_VERSION", "COLUMNS", "LINES")
_PROGRAMS = ("run", "Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput")


def forward_state(peer, tests):
    """Replaces, in this process, the functions that change such state by ones that change it on both sides.

    The folder `tests` is not there on the other side: whoever goes to it is at home there.
    """
    _both(os, "putenv", lambda name, value: _variable(peer, name, value))
    _both(os, "unsetenv", lambda name: _variable(peer, name, None))
    _both(os, "chdir", lambda path: peer.tell("state", "chdir", None if _is_beneath(os.getcwd(), tests) else os.getcwd()))
    _both(time, "tzset", lambda: peer.tell("state", "tzset"))
    _both(locale, "setlocale", lambda *arguments: len(arguments) > 1 and peer.tell("state", "locale", *arguments))
    _both(random, "seed", lambda *arguments: peer.tell("state", "seed", *arguments))
    _both(logging, "disable", lambda level=logging.CRITICAL: peer.tell("state", "disable", level))
    _forward_levels(peer)
    _forward_programs(peer)
    _forward_monkeypatch(peer)
    _forward_mock(peer)


def _both(module, name, there):
    here = getattr(module, name)

    def both(*arguments, **keywords):
        result = here(*arguments, **keywords)
        there(*arguments, **keywords)
        return result

    both.__name__ = name
    setattr(module, name, both)


def _is_beneath(path, folder):
    return path == folder or path.startswith(folder + os.sep)


def _variable(peer, name, value):
    name, value = os.fsdecode(name), None if value is None else os.fsdecode(value)
    if name not in _PRIVATE_VARIABLES:
        peer.tell("environment", name, value)


def _forward_levels(peer):
    here = logging.Logger.setLevel

    def set_level(self, level):
        here(self, level)
        peer.tell("state", "level", self.name, self.level)

    logging.Logger.setLevel = set_level


def _forward_programs(peer):
    """Programs that a test starts run where the artifact is."""

    def run_there(module, name):
        def there(*arguments, **keywords):
            return peer.request("original", module, [name])(*arguments, **keywords)

        there.__name__ = there.__qualname__ = name
        return there

    for name in _PROGRAMS:
        setattr(subprocess, name, run_there("subprocess", name))
    for name in ("system", "popen"):
        setattr(os, name, run_there("os", name))


def _place_of(target):
    """(module, names) by which the artifact's process finds the same thing of the standard library, or None."""
    if isinstance(target, RemoteModule):
        return None
    if isinstance(target, types.ModuleType):
        return (target.__name__, []) if _is_standard(target.__name__) else None
    if isinstance(target, type) and _is_standard(target.__module__) and "<" not in target.__qualname__:
        return (target.__module__, target.__qualname__.split("."))
    for name in ("stdin", "stdout", "stderr"):
        if target is getattr(sys, name):
            return None
    return None


def _is_standard(module):
    top = module.split(".")[0]
    if top in ("pytest", "_pytest", "proctor_split", "proctor_pytest", "unittest"):
        return False
    names = getattr(sys, "stdlib_module_names", None)
    return top in names if names is not None else top in sys.builtin_module_names or _in_standard_library(top)


def _in_standard_library(top):
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return file.startswith(os.path.dirname(os.__file__)) and "-packages" not in file


class _Patched:
    """One attribute of the standard library that is replaced on the candidate's side."""

    def __init__(self, peer, place, name):
        self.peer, self.module, self.names = peer, place[0], [*place[1], name]
        try:
            self.original, self.present = peer.request("original", self.module, self.names), True
        except AttributeError:
            self.original, self.present = None, False

    def set(self, value, present=True):
        """Replaces or removes it there."""
        self.peer.request("patch", self.module, self.names, value, present)

    def restore(self):
        """Puts back what was there."""
        self.peer.tell("patch", self.module, self.names, self.original, self.present)


def _forward_monkeypatch(peer):
    set_here, undo_here, delete_here = MonkeyPatch.setattr, MonkeyPatch.undo, MonkeyPatch.delattr

    def changed(self, before):
        for target, name, _ in self._setattr[before:]:
            place = _place_of(target)
            if place is not None:
                patched = _Patched(peer, place, name)
                present = name in vars(target)
                patched.set(vars(target).get(name), present)
                self.__dict__.setdefault("_proctor_patched", []).append(patched)

    def wrap(here):
        def wrapped(self, *arguments, **keywords):
            before = len(self._setattr)
            here(self, *arguments, **keywords)
            changed(self, before)

        return wrapped

    def undo(self):
        undo_here(self)
        for patched in reversed(self.__dict__.pop("_proctor_patched", [])):
            patched.restore()

    MonkeyPatch.setattr, MonkeyPatch.delattr, MonkeyPatch.undo = wrap(set_here), wrap(delete_here), undo


def _forward_mock(peer):
    enter_here, exit_here = mock._patch.__enter__, mock._patch.__exit__

    def enter(self):
        result = enter_here(self)
        place = _place_of(self.target)
        if place is not None:
            self._proctor_patched = _Patched(peer, place, self.attribute)
            self._proctor_patched.set(getattr(self.target, self.attribute))
        return result

    def leave(self, *arguments):
        patched = self.__dict__.pop("_proctor_patched", None)
        if patched is not None:
            patched.restore()
        return exit_here(self, *arguments)

    mock._patch.__enter__, mock._patch.__exit__ = enter, leave
