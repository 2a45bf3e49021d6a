"""The entries of mirror classes: each asks the owner, by Python's own rules of lookup."""

import types

from .names import is_special, may_ask
from .ref import Ref, class_info


def may_use(peer, value, name):
    """Whether a test may ask an object of the other side for an attribute (see word.py)."""
    return peer.words is None or is_special(name) or peer.words.may_use(value, name)


class Entry:
    """One entry of a mirror class."""

    __isabstractmethod__ = False

    def __init__(self, info, name):
        self.info = info
        self.name = name
        self.raw = None

    def keep_raw(self):
        """Before the owner's entry is replaced: keeps the one that this stands for, so that it can be put back."""
        if self.raw is None:
            peer = self.info.peer
            self.raw = Ref(peer, peer.request("raw", self.info.ref, self.name))

    def check_use(self, value):
        """Refuses, as if it were not there, what the reference's value was never asked for in this test."""
        if not may_use(self.info.peer, value, self.name):
            raise AttributeError("%r object has no attribute %r" % (type(value).__name__, self.name))

    def overridden(self, value):
        """Whether a class derived here has an entry of this name in front of this one."""
        for cls in type(value).__mro__:
            info = class_info(cls)
            if info is self.info:
                return False
            if self.name in cls.__dict__:
                return True
        return True


class MirrorMethod(Entry):
    """A method. Through an instance the owner looks it up; through its class, or `super()`, it is that class's own."""

    def __init__(self, info, name, bound=False):
        super().__init__(info, name)
        self._bound = None if bound else MirrorMethod(info, name, True)
        self.is_bound = bound
        self.__name__ = name
        self.__qualname__ = "%s.%s" % (info.told["q"], name)
        self.__module__ = info.told["m"]

    def __get__(self, value, owner=None):
        return self if value is None else types.MethodType(self._bound, value)

    def __call__(self, *args, **keywords):
        peer = self.info.peer
        if args:
            self.check_use(args[0])
        if self.is_bound and not self.overridden(args[0]):
            return peer.request("meth", args[0], self.name, args[1:], keywords)
        return peer.request("from", self.info.ref, self.name, args, keywords)

    def __getattr__(self, name):
        if not may_ask(name):
            raise AttributeError(name)
        return self.info.peer.request("get", self, name)


class MirrorStatic(Entry):
    """A static method. Through an instance the owner looks it up: the instance may have something else there."""

    def __get__(self, value, owner=None):
        if value is None or self.overridden(value):
            return self
        self.check_use(value)
        return lambda *args, **keywords: self.info.peer.request("meth", value, self.name, args, keywords)

    def __call__(self, *args, **keywords):
        return self.info.peer.request("from", self.info.ref, self.name, args, keywords)


class MirrorClassMethod(Entry):
    """A class method, bound to the class that it was asked of."""

    def __get__(self, value, owner=None):
        return types.MethodType(self, owner or type(value))

    def __call__(self, owner, *args, **keywords):
        return self.info.peer.request("fromclass", self.info.ref, self.name, owner, args, keywords)


class MirrorAttribute(Entry):
    """Anything else: a property, a plain value, a nested class."""

    def __get__(self, value, owner=None):
        peer = self.info.peer
        if value is None:
            return peer.request("get", owner, self.name)
        self.check_use(value)
        if self.overridden(value):
            return peer.request("getfrom", self.info.ref, self.name, value)
        return peer.request("get", value, self.name)

    def __set__(self, value, given):
        self.info.peer.request("set", value, self.name, given)

    def __delete__(self, value):
        self.info.peer.request("del", value, self.name)
