"""Stand-ins for functions and modules of the other side, and the reference behind any stand-in."""

import builtins
import types

from .mirror import MirrorMeta, reference
from .names import is_special, may_ask
from .ref import KEY, unpickle_there


def _peer_of(function):
    return object.__getattribute__(function, "_ref").peer


class RemoteFunction:
    """A function of the other side, outside of classes."""

    def __init__(self, ref, told):
        set_here = object.__setattr__
        set_here(self, "_ref", ref)
        set_here(self, "_told", told)

    @property
    def __class__(self):
        return types.FunctionType if object.__getattribute__(self, "_told")[4] == "f" else types.BuiltinFunctionType

    def __call__(self, *args, **keywords):
        return _peer_of(self).request("call", self, args, keywords)

    def __get__(self, value, owner=None):
        if value is None or object.__getattribute__(self, "_told")[4] != "f":
            return self
        return types.MethodType(self, value)

    def __getattribute__(self, name):
        place = _TOLD.get(name)
        told = object.__getattribute__(self, "_told")
        if place is not None and told[place] is not None:
            return told[place]
        if name in ("__class__", "__call__", "__get__"):
            return object.__getattribute__(self, name)
        if name == "__signature__":
            return _peer_of(self).signature(self)
        if not may_ask(name) and name not in ("__defaults__", "__code__"):
            raise AttributeError("function has no attribute %r" % name)
        if name == "__code__":
            return types.SimpleNamespace(**_peer_of(self).request("code", self))
        return _peer_of(self).request("get", self, name)

    def __setattr__(self, name, value):
        place = _TOLD.get(name)
        _peer_of(self).request("set", self, name, value)
        if place is not None:
            object.__getattribute__(self, "_told")[place] = value

    def __delattr__(self, name):
        _peer_of(self).request("del", self, name)

    def __repr__(self):
        return "<function %s at %#x>" % (object.__getattribute__(self, "_told")[1], id(self))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce_ex__(self, protocol):
        return unpickle_there, (_peer_of(self).request("pickle", self, protocol),)


# what a test module has by itself stays what it is, whatever `from artifact import *` would bring
_KEPT_NAMES = frozenset([*dir(builtins), "pytest", "unittest", "mock", "sys", "os", "re", "math", "json"])
_TOLD = {"__name__": 0, "__qualname__": 1, "__module__": 2, "__doc__": 3}


AHEAD = "\0ahead"  # attributes that a module was just asked for, with the number of the question


class RemoteModule(types.ModuleType):
    """A module of the other side."""

    def ask_ahead(self, names):
        """Asks for these attributes at once, and whether it is a package; what is told holds until the next question."""
        peer = self.__dict__[KEY].peer
        told = peer.request("attributes", self, [*names, "__path__"])
        if type(told) is not list or len(told) != len(names) + 1 or any(type(one) is not tuple or len(one) != 2 for one in told):
            return True
        values = {name: value for name, (there, value) in zip(names, told) if there is True}
        self.__dict__[AHEAD] = (peer.asked, values)
        return told[-1][0] is True

    def _was_told(self, peer, name):
        number, values = self.__dict__.get(AHEAD, (None, ()))
        if number != peer.asked:
            self.__dict__.pop(AHEAD, None)
            return False
        return name in values

    def __getattr__(self, name):
        ref = self.__dict__.get(KEY)
        if ref is None or name in ("__path__", "__file__", "__cached__") or not (may_ask(name) or name == "__all__"):
            raise AttributeError("module %r has no attribute %r" % (self.__name__, name))
        if name == "__all__":  # what a test module has by itself stays what it is
            return [public for public in ref.peer.request("public", self) if public not in _KEPT_NAMES]
        told = self._was_told(ref.peer, name)
        value = self.__dict__[AHEAD][1][name] if told else ref.peer.request("get", self, name)
        found = ref_of(value)
        if found is not None and found.origin is None:
            found.origin = (self.__name__, name)  # by which it is found again in another process
        return value

    def __setattr__(self, name, value):
        ref = self.__dict__.get(KEY)
        if ref is None or is_special(name):
            types.ModuleType.__setattr__(self, name, value)
            return
        if isinstance(value, RemoteModule) and value.__name__ == "%s.%s" % (self.__name__, name):
            return
        ref.peer.request("set", self, name, value)

    def __delattr__(self, name):
        self.__dict__[KEY].peer.request("del", self, name)

    def __dir__(self):
        return self.__dict__[KEY].peer.request("dir", self)


def ref_of(value):
    """The reference behind a stand-in for an object, function or module; None for anything else."""
    cls = type(value)
    if isinstance(cls, MirrorMeta):
        return reference(value)
    if cls is RemoteFunction:
        return object.__getattribute__(value, "_ref")
    if cls is RemoteModule:
        return types.ModuleType.__getattribute__(value, "__dict__").get(KEY)
    return None
