"""What a side tells about a class or function of its own, once, so that the other can make a mirror of it."""

import abc
import collections.abc
import datetime
import enum
import functools
import io
import numbers
import os
import types
import typing
from collections import Counter, OrderedDict, UserDict, UserList, UserString, defaultdict, deque

from .names import DECIDED_BY_VALUE, FORWARDED, global_name, is_special
from .values import VALUE_BASES, base_of

# classes that a mirror may really inherit from: they hold no state that the two sides would have to share
OPEN_BASES = frozenset(
    [getattr(collections.abc, name) for name in collections.abc.__all__ if not name.endswith("View")]
    + [numbers.Number, numbers.Complex, numbers.Real, numbers.Rational, numbers.Integral, os.PathLike, datetime.tzinfo]
)

# classes that a mirror only claims to be an instance of
CLAIMED_BASES = (
    *(dict, list, set, bytearray, deque, OrderedDict, defaultdict, Counter, UserDict, UserList, UserString),
    *(io.TextIOBase, io.BufferedIOBase, io.RawIOBase, io.IOBase),
    *(enum.Enum, types.GeneratorType, types.CoroutineType, types.SimpleNamespace, property, functools.partial),
)

MAX_ENTRIES = 2_000


def is_exception(cls):
    """Whether a class is one of exceptions."""
    return issubclass(cls, BaseException)


def is_foreign(cls):
    """Whether a class is one of the standard library or built in, and so is not described as a base of its own."""
    return global_name(cls) is not None or cls.__module__ in _FLATTENED


# whatever a class inherits from these is told as if it were its own
_FLATTENED = frozenset(
    "builtins abc typing enum collections collections.abc threading logging argparse io string functools contextlib "
    "types itertools re json.encoder json.decoder ast configparser random datetime decimal fractions pathlib _io _abc "
    "_collections_abc html.parser cmd socketserver http.server queue asyncio weakref _weakrefset _thread codecs".split()
)


def describe_class(cls, bases):
    """The description of a class; `bases` gives the wire form of one of its bases."""
    kind = _kind_of(cls)
    entries, told = [], set()
    own = [base for base in cls.__mro__[1:] if _is_told_with(base, kind)]
    for source in [cls, *own]:
        _add_entries(entries, told, source, kind, source is not cls)
    claimed = next((base for base in CLAIMED_BASES if issubclass(cls, base)), None)
    if claimed is None and is_foreign(cls) and global_name(cls) and kind == "o":
        claimed = cls
    return {
        "n": cls.__name__,
        "q": cls.__qualname__,
        "m": cls.__module__ if isinstance(cls.__module__, str) else "",
        "k": kind,
        "b": [bases(base) for base in _told_bases(cls, kind)],
        "r": [bases(base) for base in cls.__mro__[1:] if kind != "o" and _is_mixin(base)],
        "e": entries[:MAX_ENTRIES],
        "c": None if claimed is None or kind != "o" else list(global_name(claimed) or ()) or None,
        "=": cls.__eq__ is not object.__eq__,
        "#": 0 if cls.__hash__ is None else 1 if cls.__hash__ is object.__hash__ else 2,
        "t": _meta_entries(type(cls)),
    }


def describe_function(function):
    """Name, qualified name, module, text and kind: `f` for one that binds as a method, else `c`."""
    kind = "f" if isinstance(function, types.FunctionType) else "c"
    told = [getattr(function, name, None) for name in ("__name__", "__qualname__", "__module__", "__doc__")]
    return [text if isinstance(text, str) else None for text in told] + [kind]


def _kind_of(cls):
    return "x" if is_exception(cls) else "v" if base_of(cls) is not None else "o"


def _is_mixin(base):
    """A class that adds methods to values or exceptions: its entries are told with theirs, since the layouts do not go together."""
    return base is not object and not is_foreign(base) and _kind_of(base) == "o"


def _is_told_with(base, kind):
    """Whether the entries of a base are told as if they were the class's own."""
    if base is object or _is_mixin(base):
        return base is not object and kind != "o"
    return is_foreign(base) and kind != "x"


def _told_bases(cls, kind):
    """The bases that the other side needs: own classes, and those of the standard library that it really has."""
    for base in cls.__bases__:
        if base is object or base is typing.Generic or base is abc.ABC or (kind != "o" and _is_mixin(base)):
            continue
        if not is_foreign(base) or base in OPEN_BASES or kind == "x" or (kind == "v" and base in VALUE_BASES):
            yield base
        elif kind == "v" or any(issubclass(base, open_base) for open_base in OPEN_BASES):
            yield from _told_bases(base, kind)


def _add_entries(entries, told, source, kind, inherited):
    for name, value in list(vars(source).items()):
        if name in told or (inherited and source in VALUE_BASES and kind == "v"):
            continue
        if is_special(name):
            if name not in FORWARDED or value is None:
                continue
            if kind == "v" and name in DECIDED_BY_VALUE:
                continue
        told.add(name)
        entries.append(_entry(name, value))


def _entry(name, value):
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)):
        return [name, "f"]
    if isinstance(value, (classmethod, types.ClassMethodDescriptorType)):
        return [name, "c"]
    if isinstance(value, staticmethod):
        return [name, "s"]
    if type(value).__name__ == "_tuplegetter":
        return [name, "n", value.__reduce__()[1][0]]
    if callable(value) and hasattr(type(value), "__get__") and not isinstance(value, type):
        return [name, "f"]
    return [name, "a"]


def _meta_entries(meta):
    """Special methods that a metaclass gives its classes: iteration over an Enum, for one."""
    if meta is type or meta is abc.ABCMeta:
        return []
    wanted = ("__iter__", "__len__", "__getitem__", "__contains__", "__reversed__", "__bool__", "__add__", "__or__", "__eq__")
    return [name for name in wanted if any(name in vars(base) for base in meta.__mro__ if base not in (type, object))]
