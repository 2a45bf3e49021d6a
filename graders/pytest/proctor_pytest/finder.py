"""Imports of the artifact's modules: found here, run there."""

import importlib.abc
import importlib.machinery

from proctor_split.link import Lost
from proctor_split.mirror import KEY, RemoteModule, ref_of


class ArtifactFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers for the top-level names that the artifact provides, before anything of the same name is looked for here."""

    def __init__(self, peer, names):
        self._peer = peer
        self._names = frozenset(names)
        self._imported = set()

    def find_spec(self, fullname, path=None, target=None):
        """A spec for every name beneath the artifact's; whether there is such a module is seen when it is made."""
        if fullname.split(".")[0] not in self._names:
            return None
        spec = importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        spec.submodule_search_locations = []
        return spec

    def create_module(self, spec):
        """Has the candidate import the module; what that raises is raised here."""
        try:
            module = self._peer.request("import", spec.name, spec.name in self._imported)
        except (SystemExit, GeneratorExit) as error:
            raise ImportError("importing %s raised %s" % (spec.name, type(error).__name__)) from error
        except Lost as lost:
            raise ImportError("importing %s: the candidate's process was lost (%s)" % (spec.name, lost)) from None
        self._imported.add(spec.name)
        if isinstance(module, RemoteModule):
            return module
        ref = ref_of(module)
        if ref is None:
            raise ImportError("%s is no module: it put something else in its place" % spec.name)
        stand_in = RemoteModule(spec.name)
        stand_in.__dict__[KEY] = ref
        stand_in.__dict__["__wrapped_object__"] = module
        return stand_in

    def exec_module(self, module):
        """Does nothing the first time: it has been run by then. Again is a reload."""
        if "__loaded__" in module.__dict__:
            self._peer.request("reload", module)
        module.__dict__["__loaded__"] = True

    def forget(self):
        """The candidate is a new process that has imported nothing."""
        self._imported.clear()
