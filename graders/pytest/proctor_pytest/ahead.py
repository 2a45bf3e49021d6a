"""Collects a suite before there is a candidate, with placeholders for what it imports of the artifact.

Once there is a candidate, it is asked for what was imported, in the same order, and the placeholders are replaced. When it does
not give all of it, the suite is collected anew, as if nothing had been.
"""

import gc
import os
import sys
import types

import pytest
from _pytest.assertion import assertstate_key
from proctor_split.mirror import MirrorMeta
from proctor_split.remote import RemoteFunction, RemoteModule, ref_of

from .definitions import only_defines

CONFIGURATIONS = ("pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml")
KNOWN_PYTEST = 7  # what is undone here is not part of pytest's interface
KNOWN_PLUGINS = frozenset(["hypothesis"])  # installed, and the same whenever something is collected
PYTESTS_OWN = "_pytestfixturefunction"  # what it looks for in whatever a file holds
PLAIN = (bool, int, float, complex, str, bytes, type(None), tuple, list, dict, set, frozenset)


class Used(BaseException):
    """A placeholder was used as if it were what it stands for."""


class _Placeholder:
    """Stands for an attribute of one of the artifact's modules."""

    def __init__(self, step):
        self.__dict__["step"] = step

    def __getattr__(self, name):
        if name == PYTESTS_OWN:
            raise AttributeError(name)
        raise Used


class _PlaceholderModule(types.ModuleType):
    """Stands for one of the artifact's modules."""

    def __getattr__(self, name):
        if name.startswith("__") or name == PYTESTS_OWN:
            raise AttributeError(name) if name in ("__file__", "__cached__", "__path__", PYTESTS_OWN) else Used()
        steps = self.__dict__["\0log"]
        steps.append(("get", self.__name__, name))  # each time: what a module has may change from one import to the next
        return _Placeholder(len(steps) - 1)


def is_placeholder(value):
    """Whether a value stands for something of the artifact's that is not there yet."""
    return type(value) in (_Placeholder, _PlaceholderModule)


def is_theirs(value):
    """Whether a value stands for a class, function, module or object of the artifact's."""
    return isinstance(value, (MirrorMeta, RemoteFunction, RemoteModule)) or ref_of(value) is not None


class ImportLog:
    """What a suite imports of the artifact, in order: ("import", module, names at once), ("get", module, name), and ("time",) where time begins anew."""

    def __init__(self):
        self.steps = []

    def module(self, name, names):
        """A placeholder for a module that is imported for the first time."""
        self.steps.append(("import", name, names))
        module = _PlaceholderModule(name)
        module.__dict__["\0log"] = self.steps
        return module


def can_collect(told, config):
    """Whether nothing but definitions would run ahead. Other plugins may draw lots, and a configuration may name the artifact."""
    plugins = {distribution.project_name for _, distribution in config.pluginmanager.list_plugin_distinfo()}
    if plugins - KNOWN_PLUGINS or sys.version_info < (3, 10) or pytest.version_tuple[0] != KNOWN_PYTEST:
        return False
    theirs, beside, texts = told["modules"], set(), []
    for root, folders, files in os.walk(told["tests"]):
        beside.update(folders)
        for name in files:
            text = _bytes(os.path.join(root, name))
            if name in CONFIGURATIONS and (text is None or any(module.encode() in text for module in theirs)):
                return False
            if name.endswith(".py"):
                beside.add(name[:-3])
                texts.append(text)
    return all(text is not None and only_defines(text, theirs, beside) for text in texts)


def _bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


class Collection:
    """One collection ahead. Its session has its items when `ready`."""

    def __init__(self, session, suite):
        self._session, self._suite = session, suite
        self._fixtures = session._fixturemanager
        self._before = self._copy()
        self._modules = frozenset(sys.modules)
        self.ready = False
        log = suite.finder.log = ImportLog()
        suite.plugin.time_begins = lambda: log.steps.append(("time", None, None))
        try:
            session.config.stash[assertstate_key].hook.set_session(session)
            session.perform_collect()
            self.ready = not suite.plugin.problems and self._may_be_bound()
        except (Exception, Used):
            self.ready = False  # told when it is collected for a candidate
        finally:
            suite.finder.log = suite.plugin.time_begins = None
            self._steps = log.steps
        if not self.ready:
            self.undo()

    def bind(self):
        """Puts what the candidate gives in place of the placeholders; when it does not give all of it, undoes the collection."""
        for name in [name for name, module in sys.modules.items() if is_placeholder(module)]:
            del sys.modules[name]
        try:
            self._replace(self._ask())
        except BaseException:  # whatever the candidate raised: it is raised once more where pytest collects
            self.undo()
            self.ready = False

    def undo(self):
        """Leaves a session that was never collected."""
        for name in frozenset(sys.modules) - self._modules:
            if is_placeholder(sys.modules[name]) or self._is_of_tests(sys.modules[name]) or type(sys.modules[name]) is RemoteModule:
                del sys.modules[name]
        arg2fixturedefs, seen, autouse, paths = self._before
        self._fixtures._arg2fixturedefs = {name: list(found) for name, found in arg2fixturedefs.items()}
        self._fixtures._holderobjseen = set(seen)
        self._fixtures._nodeid_autousenames = {node: list(names) for node, names in autouse.items()}
        session = self._session
        session.config.pluginmanager._duplicatepaths = set(paths)
        session.items, session.testscollected, session.testsfailed = [], 0, 0
        session.shouldstop = session.shouldfail = False
        session.trace.root.indent = 0
        self._suite.plugin.problems.clear()

    def _copy(self):
        fixtures = self._fixtures
        return (
            {name: list(found) for name, found in fixtures._arg2fixturedefs.items()},
            set(fixtures._holderobjseen),
            {node: list(names) for node, names in fixtures._nodeid_autousenames.items()},
            set(self._session.config.pluginmanager._duplicatepaths),
        )

    def _is_of_tests(self, module):
        return (getattr(module, "__file__", None) or "").startswith(self._suite.folder + os.sep)

    def _may_be_bound(self):
        """Whether placeholders are nothing but names of the suite's files."""
        spaces = [vars(module) for module in sys.modules.values() if type(module) is not _PlaceholderModule and self._is_of_tests(module)]
        self._places = [(space, name, value) for space in spaces for name, value in space.items() if is_placeholder(value)]
        own = {id(one) for one in (*spaces, sys.modules, self._places, *self._places)}
        return all(_is_held_by(value, own) for _, _, value in self._places)

    def _ask(self):
        """What the candidate has for each of the placeholders: by its step, or by its name for a module."""
        found = {}
        for step, (what, module, more) in enumerate(self._steps):
            if what == "time":
                self._suite.plugin.give_time()
            elif what == "import":
                found[module] = self._suite.finder.bring(module, more)
            else:
                found[step] = self._attribute(sys.modules[module], more)
        return found

    def _attribute(self, module, name):
        """As `from module import name` finds it."""
        try:
            return getattr(module, name)
        except AttributeError:
            if not hasattr(module, "__path__"):
                raise
        return self._suite.finder.bring("%s.%s" % (module.__name__, name), ())

    def _replace(self, found):
        values = []
        for space, name, placeholder in self._places:
            value = found[placeholder.__name__ if type(placeholder) is _PlaceholderModule else placeholder.step]
            if not (type(value) in PLAIN or is_theirs(value)):
                raise ImportError("what pytest would look at")
            values.append((space, name, value))
        for space, name, value in values:
            space[name] = value


def _is_held_by(placeholder, own):
    """Whether what holds a placeholder is of these (ids), another placeholder, or code that is running."""
    for holder in gc.get_referrers(placeholder):
        of_module = type(holder) is dict and "\0log" in holder
        if id(holder) not in own and not of_module and type(holder) not in (types.FrameType, types.GeneratorType):
            return False
    return True
