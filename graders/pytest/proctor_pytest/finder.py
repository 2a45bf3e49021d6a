"""Imports of the artifact's modules: found here, run there."""

import dis
import importlib
import importlib.abc
import importlib.machinery
import sys

from proctor_split.link import Lost
from proctor_split.ref import KEY
from proctor_split.refused import Refused
from proctor_split.remote import RemoteModule, ref_of

JUST_MADE = "\0made"
MOST_NAMES = 100
IMPORT_NAME, LOAD_CONST, EXTENDED_ARG = (dis.opmap[name] for name in ("IMPORT_NAME", "LOAD_CONST", "EXTENDED_ARG"))


def _names_to_import():
    """The names of the `from ... import ...` that is being executed above importlib; none when it is anything else."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    if frame is None:
        return ()
    code, at = frame.f_code.co_code, frame.f_lasti
    if at < 2 or code[at] != IMPORT_NAME or code[at - 2] != LOAD_CONST or (at >= 4 and code[at - 4] == EXTENDED_ARG):
        return ()
    names = frame.f_code.co_consts[code[at - 1]]
    return names if type(names) is tuple and "*" not in names and len(names) <= MOST_NAMES else ()


def _once_more(error):
    """Raises the same error where it was raised before: below whoever asked."""
    raised = error.__traceback__
    while raised is not None and raised.tb_frame.f_code is not ArtifactFinder.create_module.__code__:
        raised = raised.tb_next
    below = None if raised is None else raised.tb_next

    def raise_it(*_):
        __tracebackhide__ = True
        raise error.with_traceback(below)

    return raise_it


class ArtifactFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers for the top-level names that the artifact provides, before anything of the same name is looked for here."""

    def __init__(self, peer, names):
        self._peer = peer
        self._names = frozenset(names)
        self._at_once = None
        self._raised = {}
        self.log = None
        self.asked = 0

    def find_spec(self, fullname, path=None, target=None):
        """A spec for every name beneath the artifact's; whether there is such a module is seen when it is made."""
        if fullname.split(".")[0] not in self._names:
            return None
        spec = importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        spec.submodule_search_locations = []
        return spec

    def create_module(self, spec):
        """Has the candidate import the module; what that raises is raised here."""
        names = _names_to_import() if self._at_once is None else self._at_once
        if self.log is not None:
            module = self.log.module(spec.name, names)
            module.__dict__[JUST_MADE] = True
            return module
        self.asked += 1
        try:
            module = self._raised.pop(spec.name, self._peer.request)("import", spec.name)
        except (SystemExit, GeneratorExit) as error:
            raise ImportError("importing %s raised %s" % (spec.name, type(error).__name__)) from error
        except Lost as lost:
            raise ImportError("importing %s: the candidate's process was lost (%s)" % (spec.name, lost)) from None
        if isinstance(module, RemoteModule):
            module.__dict__[JUST_MADE] = True
            if names and not self._ask_ahead(module, names):
                spec.submodule_search_locations = None
            return module
        ref = ref_of(module)
        if ref is None:
            raise ImportError("%s is no module: it put something else in its place" % spec.name)
        stand_in = RemoteModule(spec.name)
        stand_in.__dict__[KEY] = ref
        stand_in.__dict__.update({"__wrapped_object__": module, JUST_MADE: True})
        return stand_in

    def bring(self, name, names):
        """Imports a module, with the names that are wanted of it; what the candidate raises now is raised once more the next time."""
        self._at_once = names
        try:
            return importlib.import_module(name)
        except BaseException as error:
            if self._peer.link.lost is None:  # a lost link says so itself
                self._raised[name] = _once_more(error.__cause__ if type(error.__cause__) in (SystemExit, GeneratorExit) else error)
            raise
        finally:
            self._at_once = None

    def _ask_ahead(self, module, names):
        try:
            return module.ask_ahead(names)
        except (Refused, Lost):
            return True  # told where they are used

    def exec_module(self, module):
        """Does nothing after an import: it has been run by then. Without one this is a reload."""
        if not module.__dict__.pop(JUST_MADE, False):
            self._peer.request("reload", module)
