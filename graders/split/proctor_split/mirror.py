"""Stand-ins for the other side's objects: mirror classes with real entries, so that Python's own rules of lookup hold.

A mirror class is a real class here: `isinstance`, `except`, `super()` and inheritance work as always; its entries ask the
owner. A class that derives from a mirror here is known to the owner too (`derive` in peer.py), so that the owner's code
calls the overridden methods.
"""

import abc
import builtins
import types

from .refused import Refused
from .iterate import next_item
from .names import DECIDED_BY_BASE, DECIDED_BY_VALUE, FORWARDED, is_special, may_ask
from .word import BINARY, decide_by_number, decide_contains, decide_equal, decide_order

KEY = "\0proctor"  # where instances that have a __dict__ keep their reference
INFO = "__proctor_class__"
_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")


class Ref:
    """One object of the other side; tells the owner when it is no longer needed."""

    __slots__ = ("peer", "number", "count", "epoch", "origin", "hash", "ahead", "extra")

    def __init__(self, peer, number, origin=None):
        self.peer = peer
        self.number = number
        self.count = 0
        self.epoch = peer.epoch
        self.origin = origin
        self.hash = None
        self.ahead = None
        self.extra = None

    def __del__(self):
        peer = self.peer
        if peer.epoch == self.epoch:
            peer.released.append((self.number, self.count))


PEERS = []


def unpickle_there(data):
    """Has the other side unpickle what it pickled; this side never does."""
    return PEERS[-1].request("unpickle", data)


class ClassInfo:
    """What is known of a mirror class, or of a class derived from one here (`told` is None)."""

    __slots__ = ("ref", "peer", "told", "kind")

    def __init__(self, ref, told, kind):
        self.ref = ref
        self.peer = ref.peer
        self.told = told
        self.kind = kind


def class_info(cls):
    """The ClassInfo of exactly this class, or None."""
    return cls.__dict__.get(INFO) if isinstance(cls, MirrorMeta) else None


def ref_of(value):
    """The reference behind a stand-in for an object, function or module; None for anything else."""
    cls = type(value)
    if isinstance(cls, MirrorMeta):
        if issubclass(cls, Handle):
            return _SLOT.__get__(value)
        return object.__getattribute__(value, "__dict__").get(KEY)
    if cls is RemoteFunction:
        return object.__getattribute__(value, "_ref")
    if cls is RemoteModule:
        return types.ModuleType.__getattribute__(value, "__dict__").get(KEY)
    return None


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
        peer = _SLOT.__get__(self).peer
        if not may_ask(name) or (peer.words is not None and not is_special(name) and not peer.words.may_use(self, name)):
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
        return peer.request("get", self, name)

    def __setattr__(self, name, value):
        entry = _local_entry(type(self), name)
        if hasattr(type(entry), "__set__"):
            object.__setattr__(self, name, value)
        else:
            _SLOT.__get__(self).peer.request("set", self, name, value)

    def __delattr__(self, name):
        _SLOT.__get__(self).peer.request("del", self, name)

    def __copy__(self):
        return _SLOT.__get__(self).peer.request("copy", self)

    def __deepcopy__(self, memo):
        return _SLOT.__get__(self).peer.request("deepcopy", self)

    def __reduce_ex__(self, protocol):
        return unpickle_there, (_SLOT.__get__(self).peer.request("pickle", self, protocol),)

    def __dir__(self):
        return _SLOT.__get__(self).peer.request("dir", self)


_SLOT = Handle.__dict__["_ref"]


class _InDict(metaclass=MirrorMeta):
    """For classes whose layout leaves no room for a slot: the reference lies in the instance's dict."""

    def __init_subclass__(cls, **keywords):
        pass

    def __getattr__(self, name):
        ref = ref_of(self)
        if ref is None or not may_ask(name):
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
        return ref.peer.request("get", self, name)


class ValueHandle(_InDict):
    """An object of a subclass of an immutable built-in: the value is here, and the built-in decides what equals it."""

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __setattr__(self, name, value):
        ref_of(self).peer.request("set", self, name, value)

    def __reduce_ex__(self, protocol):
        return unpickle_there, (ref_of(self).peer.request("pickle", self, protocol),)


class ExceptionHandle(_InDict):
    """An exception of the owner's class, raised here for real."""

    def __setattr__(self, name, value):
        if is_special(name) or ref_of(self) is None:
            object.__setattr__(self, name, value)
        else:
            ref_of(self).peer.request("set", self, name, value)

    def __str__(self):
        ref = ref_of(self)
        return ref.extra if ref is not None and type(ref.extra) is str else super().__str__()


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
            self.raw.count = 1

    def check_use(self, value):
        """Refuses, as if it were not there, what the reference's value was never asked for in this test."""
        words = self.info.peer.words
        if words is not None and not words.may_use(value, self.name):
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
        if not is_special(self.name):
            self.check_use(value)
        if self.overridden(value):
            return peer.request("getfrom", self.info.ref, self.name, value)
        return peer.request("get", value, self.name)

    def __set__(self, value, given):
        self.info.peer.request("set", value, self.name, given)

    def __delete__(self, value):
        self.info.peer.request("del", value, self.name)


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
        return object.__getattribute__(self, "_ref").peer.request("call", self, args, keywords)

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
            return object.__getattribute__(self, "_ref").peer.signature(self)
        if not may_ask(name) and name not in ("__defaults__", "__code__"):
            raise AttributeError("function has no attribute %r" % name)
        if name == "__code__":
            return types.SimpleNamespace(**object.__getattribute__(self, "_ref").peer.request("code", self))
        return object.__getattribute__(self, "_ref").peer.request("get", self, name)

    def __setattr__(self, name, value):
        place = _TOLD.get(name)
        object.__getattribute__(self, "_ref").peer.request("set", self, name, value)
        if place is not None:
            object.__getattribute__(self, "_told")[place] = value

    def __delattr__(self, name):
        object.__getattribute__(self, "_ref").peer.request("del", self, name)

    def __repr__(self):
        return "<function %s at %#x>" % (object.__getattribute__(self, "_told")[1], id(self))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce_ex__(self, protocol):
        return unpickle_there, (object.__getattribute__(self, "_ref").peer.request("pickle", self, protocol),)


_KEPT_NAMES = frozenset([*dir(builtins), "pytest", "unittest", "mock", "sys", "os", "re", "math", "json"])
_TOLD = {"__name__": 0, "__qualname__": 1, "__module__": 2, "__doc__": 3}


class RemoteModule(types.ModuleType):
    """A module of the other side."""

    def __getattr__(self, name):
        ref = self.__dict__.get(KEY)
        if ref is None or name in ("__path__", "__file__", "__cached__") or not (may_ask(name) or name == "__all__"):
            raise AttributeError("module %r has no attribute %r" % (self.__name__, name))
        if name == "__all__":  # what a test module has by itself stays what it is
            return [public for public in ref.peer.request("public", self) if public not in _KEPT_NAMES]
        value = ref.peer.request("get", self, name)
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


def make_class(info, bases):
    """The mirror class of a description that was checked; `bases` are local classes."""
    told, kind = info.told, info.kind
    root = {"o": Handle, "v": ValueHandle, "x": ExceptionHandle}[kind]
    if not any(issubclass(base, root) for base in bases):
        bases = (root, *bases) if kind != "v" else (*[b for b in bases if isinstance(b, MirrorMeta)], root, *[
            b for b in bases if not isinstance(b, MirrorMeta)])
    namespace = {"__module__": told["m"], "__qualname__": told["q"], INFO: info}
    if kind == "o":
        namespace["__slots__"] = ()
    for name, sort, *rest in told["e"]:
        if kind == "v" and name in DECIDED_BY_BASE:
            continue
        if not is_special(name) or (name in FORWARDED and not (kind == "v" and name in DECIDED_BY_VALUE)):
            namespace[name] = _make_entry(info, name, sort, rest)
    namespace["__doc__"] = MirrorAttribute(info, "__doc__")
    for name in ("__init__", "__new__"):
        namespace[name] = _construction(info, name)
    if told["#"] == 0:
        namespace["__hash__"] = None
    elif told["#"] == 2 and kind == "o":
        namespace["__hash__"] = _hash
    elif told["#"] == 1 and kind == "o":
        namespace["__hash__"] = object.__hash__
    if told["c"] == ["builtins", "list"] and "__radd__" not in namespace:
        namespace["__radd__"] = _joined  # a list takes the members of a list only from the inside
    if any(name == "__next__" for name, *_ in told["e"]):
        namespace["__copy__"] = property(_no_copy)  # itertools.tee copies what can be copied, instead of reading it once
    if info.ref.extra is not None:
        namespace["__class__"] = property(lambda self, claimed=info.ref.extra: claimed)
    try:
        return _meta_for(info, bases)(told["n"], bases, namespace, told=told)
    except TypeError:  # bases that do not go together here: those of the other side's own are what matters
        bases = tuple(base for base in bases if isinstance(base, MirrorMeta) or kind != "o")
        return _meta_for(info, bases)(told["n"], bases, namespace, told=told)


def _make_entry(info, name, sort, rest):
    if is_special(name):
        return _special(info, name)
    if sort == "n":
        return property(lambda self, index=rest[0]: tuple.__getitem__(self, index))
    kinds = {"f": MirrorMethod, "c": MirrorClassMethod, "s": MirrorStatic}
    return kinds.get(sort, MirrorAttribute)(info, name)


def _special(info, name):
    peer, cls = info.peer, info.ref

    def forward(*args, **keywords):
        return peer.request("from", cls, name, args, keywords)

    if name == "__class_getitem__":
        return classmethod(lambda owner, item: peer.request("fromclass", cls, name, owner, (item,), {}))
    if name == "__eq__":
        return lambda self, other: decide_equal(peer, self, other, lambda: _by_value(peer, cls, name, self, other))
    if name == "__ne__":
        return lambda self, other: _inverted(type(self).__eq__(self, other))
    if name in _ORDER:
        return lambda self, other: decide_order(peer, name, (self, other), lambda: _by_value(peer, cls, name, self, other))
    if name == "__contains__":
        return lambda self, item: decide_contains(peer, self, item, lambda: _by_value(peer, cls, name, self, item))
    if name in BINARY:
        return lambda self, *others: decide_by_number(peer, name, (self, others), lambda: forward(self, *others))
    if name == "__next__":
        return lambda self: next_item(ref_of(self), lambda count: peer.request("next", self, count))
    if name == "__await__":
        return lambda self: _await(peer, self)
    return forward


def _by_value(peer, cls, name, *args):
    """Operands of a comparison are shown as values, not shared: the owner must not be able to change them afterwards."""
    peer.codec.keep = False
    try:
        return peer.request("from", cls, name, args, {})
    finally:
        peer.codec.keep = True


def _joined(self, other):
    return other + list(self) if type(other) is list else NotImplemented


def _no_copy(self):
    raise AttributeError("__copy__")


def _await(peer, awaited):
    return peer.request("run", awaited)
    yield


def _inverted(result):
    return result if result is NotImplemented else not result


def _hash(self):
    ref = ref_of(self)
    if ref.hash is None:
        value = ref.peer.request("hash", self)
        if type(value) is not int:
            raise TypeError("__hash__ method should return an integer")
        ref.hash = value
    return ref.hash


def _construction(info, name):
    peer, cls = info.peer, info.ref

    def construct(*args, **keywords):
        return peer.request("from", cls, name, args, keywords)

    return construct


_METAS = {}


def _meta_for(info, bases):
    """The metaclass: one that also forwards what the owner's metaclass gives its classes."""
    names = tuple(name for name in info.told["t"] if name in FORWARDED)
    metas = []
    for base in bases:
        if isinstance(base, MirrorMeta) and type(base) not in metas:
            metas.append(type(base))
    metas = [meta for meta in metas if not any(other is not meta and issubclass(other, meta) for other in metas)] or [MirrorMeta]
    missing = tuple(name for name in names if not any(name in vars(k) for meta in metas for k in meta.__mro__[:-3]))
    if not missing and len(metas) == 1:
        return metas[0]
    key = (tuple(metas), missing)
    if key not in _METAS:
        _METAS[key] = type("MirrorMeta", tuple(metas), {name: _meta_method(name) for name in missing})
        if "__eq__" in missing:
            _METAS[key].__hash__ = type.__hash__
    return _METAS[key]


def _meta_method(name):
    def forward(cls, *args):
        info = class_info(cls)
        if info is None:
            return NotImplemented
        if name == "__eq__" and (args[0] is cls or not isinstance(args[0], MirrorMeta)):
            return args[0] is cls
        return info.peer.request("tm", cls, name, args)

    return forward


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
