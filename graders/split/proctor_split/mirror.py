"""Stand-ins for the other side's objects: mirror classes with real entries, so that Python's own rules of lookup hold.

A mirror class is a real class here: `isinstance`, `except`, `super()` and inheritance work as always; its entries ask the
owner. A class that derives from a mirror here is known to the owner too (`derive` in operations.py), so that the owner's
code calls the overridden methods.
"""

import abc

from .entries import Entry, MirrorAttribute, may_use
from .names import FORWARDED, is_special, may_ask
from .ref import INFO, KEY, ClassInfo, Ref, class_info, unpickle_there
from .refused import Refused


def reference(value):
    """The reference of an instance of a mirror class."""
    if issubclass(type(value), Handle):
        return SLOT.__get__(value)
    return object.__getattribute__(value, "__dict__").get(KEY)


class MirrorMeta(abc.ABCMeta):
    """The metaclass of all stand-ins: making an instance, and whatever the class itself is asked for, is the owner's part."""

    def __new__(mcls, name, bases, namespace, told=None, **keywords):
        if told is not None or not any(class_info(cls) for base in bases for cls in base.__mro__):
            cls = super().__new__(mcls, name, bases, namespace)
        else:
            cls = _derive(super().__new__, (mcls, name, bases, namespace), keywords)
        type.__setattr__(cls, "__abstractmethods__", frozenset())
        return cls

    def __init__(cls, name, bases, namespace, **keywords):
        super().__init__(name, bases, namespace)

    def __call__(cls, *args, **keywords):
        info = class_info(cls)
        if info is None:
            raise TypeError("%s cannot be made here" % cls.__name__)
        return info.peer.request("call", cls, args, keywords)

    def __getattr__(cls, name):
        info = class_info(cls)
        if info is None or not may_ask(name):
            raise AttributeError("type object %r has no attribute %r" % (cls.__name__, name))
        return info.peer.request("get", cls, name)

    def __setattr__(cls, name, value):
        info = class_info(cls)
        if info is None or is_special(name) and name not in FORWARDED or name.startswith("_abc_"):
            type.__setattr__(cls, name, value)
            return
        entry = cls.__dict__.get(name)
        if isinstance(entry, Entry):
            entry.keep_raw()
        info.peer.request("set", cls, name, value)
        if info.told is None and not isinstance(entry, Entry):
            type.__setattr__(cls, name, value)

    def __delattr__(cls, name):
        info = class_info(cls)
        info.peer.request("del", cls, name)
        if info.told is None and name in cls.__dict__:
            type.__delattr__(cls, name)

    def __dir__(cls):
        return class_info(cls).peer.request("dir", cls) if class_info(cls) else type.__dir__(cls)


class Handle(metaclass=MirrorMeta):
    """An object whose state is the owner's."""

    __slots__ = ("_ref", "__weakref__")

    def __init_subclass__(cls, **keywords):
        pass

    def __getattr__(self, name):
        peer = SLOT.__get__(self).peer
        if not may_ask(name) or not may_use(peer, self, name):
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
        return peer.request("get", self, name)

    def __setattr__(self, name, value):
        entry = _local_entry(type(self), name)
        if hasattr(type(entry), "__set__"):
            object.__setattr__(self, name, value)
        else:
            SLOT.__get__(self).peer.request("set", self, name, value)

    def __delattr__(self, name):
        SLOT.__get__(self).peer.request("del", self, name)

    def __copy__(self):
        return SLOT.__get__(self).peer.request("copy", self)

    def __deepcopy__(self, memo):
        return SLOT.__get__(self).peer.request("deepcopy", self)

    def __reduce_ex__(self, protocol):
        return unpickle_there, (SLOT.__get__(self).peer.request("pickle", self, protocol),)

    def __dir__(self):
        return SLOT.__get__(self).peer.request("dir", self)


SLOT = Handle.__dict__["_ref"]


class _InDict(metaclass=MirrorMeta):
    """For classes whose layout leaves no room for a slot: the reference lies in the instance's dict."""

    def __init_subclass__(cls, **keywords):
        pass

    def __getattr__(self, name):
        ref = reference(self)
        if ref is None or not may_ask(name) or not may_use(ref.peer, self, name):
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
        return ref.peer.request("get", self, name)


class ValueHandle(_InDict):
    """An object of a subclass of an immutable built-in: the value is here, and the built-in decides what equals it."""

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __setattr__(self, name, value):
        reference(self).peer.request("set", self, name, value)

    def __reduce_ex__(self, protocol):
        return unpickle_there, (reference(self).peer.request("pickle", self, protocol),)


class ExceptionHandle(_InDict):
    """An exception of the owner's class, raised here for real."""

    def __setattr__(self, name, value):
        if is_special(name) or reference(self) is None:
            object.__setattr__(self, name, value)
        else:
            reference(self).peer.request("set", self, name, value)

    def __str__(self):
        ref = reference(self)
        return ref.extra if ref is not None and type(ref.extra) is str else super().__str__()


def _local_entry(cls, name):
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


_NOT_OVERRIDABLE = ("__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__slots__", "__class__", "__del__")


def _derive(make, arguments, keywords):
    """A class of this side that inherits from mirrors: made here, and by the owner with forwarding methods."""
    mcls, name, bases, namespace = arguments
    refused = [entry for entry in _NOT_OVERRIDABLE if entry in namespace]
    if refused:
        raise Refused("a class derived from one of the other side cannot define %s" % ", ".join(refused))
    first = next(base for base in bases if isinstance(base, MirrorMeta))
    info = next(filter(None, map(class_info, first.__mro__)))
    if info.told is not None and "__iter__" in info.told["t"]:
        raise Refused("deriving from an enumeration of the other side is not carried")
    told = {"q": namespace.get("__qualname__", name), "m": namespace.get("__module__", "")}
    body = {key: value for key, value in namespace.items() if not _stays_here(key)}
    derived = ClassInfo(Ref(info.peer, 0), None, info.kind)
    local = dict(namespace)
    for key, value in body.items():
        if not is_special(key) and not hasattr(type(value), "__get__") and info.kind == "o":
            local[key] = MirrorAttribute(derived, key)
    local[INFO] = derived
    cls = make(mcls, name, bases, local)
    arguments = (name, told, tuple(bases), body, keywords)
    number = info.peer.request("derive", *arguments)
    derived.ref.origin = lambda: info.peer.refs.bind_class(derived, info.peer.ask_now("derive", arguments), cls)
    info.peer.refs.bind_class(derived, number, cls)
    return cls


def _stays_here(name):
    return is_special(name) and name not in FORWARDED and name not in ("__init__", "__new__")
