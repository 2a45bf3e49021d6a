"""What the candidate's code may do with objects of the examiner's that a test handed to it: use them, not look behind them."""

import types

from .codec import Refused
from .iterate import take
from .names import FORWARDED, is_special
from .operations import _find_entry, run_awaitable

# objects of these packages are shown, but have nothing to be asked for
_CLOSED_PACKAGES = ("pytest", "_pytest", "pluggy", "unittest", "proctor_split", "proctor_pytest", "inspect", "traceback", "gc", "sys")
_OPEN_MODULES = ("unittest.mock",)
_CLOSED_TYPES = (
    *(types.FrameType, types.CodeType, types.TracebackType, types.ModuleType),
)
_SHOWN_SPECIALS = frozenset(["__name__", "__qualname__", "__doc__", "__module__", "__annotations__", "__slots__", "__match_args__", "__dict__", "__dataclass_fields__", "__dataclass_params__"])
# what leads from a plain attribute to frames, code or other people's objects
_CLOSED_NAMES = frozenset(
    "gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await cr_origin ag_frame ag_code ag_await f_locals f_globals f_builtins "
    "f_back f_code tb_frame tb_next func_globals func_code mro with_traceback skipTest fail addCleanup doCleanups".split()
)


def _check_open(value):
    cls = type(value)
    module = cls.__module__ if isinstance(cls.__module__, str) else ""
    if _is_closed(module) or isinstance(value, _closed_bases()):
        raise Refused("a %s of the tests cannot be used by the code under test" % cls.__name__)


def _is_closed(module):
    return module.split(".")[0] in _CLOSED_PACKAGES and module not in _OPEN_MODULES


def _closed_bases():
    import unittest

    return (*_CLOSED_TYPES, unittest.TestCase)


def _check_name(name):
    if type(name) is not str or name in _CLOSED_NAMES or (is_special(name) and name not in _SHOWN_SPECIALS):
        raise AttributeError("%.100s cannot be asked of the tests' objects" % (name,))


def _check_method(name):
    if type(name) is not str or (is_special(name) and name not in FORWARDED) or name in _CLOSED_NAMES:
        raise AttributeError("%.100s cannot be asked of the tests' objects" % (name,))


def _call(peer, function, args, keywords):
    if isinstance(function, types.MethodType):  # whoever hands a bound method over lets it be called
        _check_name(function.__name__)
    if isinstance(function, type):
        _check_class(function)
    elif not isinstance(function, (types.FunctionType, types.MethodType, types.BuiltinFunctionType)):
        _check_open(function)
    return function(*args, **keywords)


def _check_class(cls):
    module = cls.__module__ if isinstance(cls.__module__, str) else ""
    if _is_closed(module) or issubclass(cls, type):
        raise Refused("the class %s of the tests cannot be used by the code under test" % cls.__name__)


def _meth(peer, value, name, args, keywords):
    _check_open(value)
    _check_name(name)
    return getattr(value, name)(*args, **keywords)


def _get(peer, value, name):
    if not (isinstance(value, types.FunctionType) or isinstance(value, type)):
        _check_open(value)
    _check_name(name)
    return getattr(value, name)


def _set(peer, value, name, given):
    if isinstance(value, type):
        _check_class(value)
        if hasattr(value, name):
            raise Refused("an attribute of the tests' own class cannot be replaced by the code under test")
    elif not isinstance(value, types.FunctionType):
        _check_open(value)
    if is_special(name) or name in _CLOSED_NAMES:
        raise AttributeError("%.100s cannot be set" % name)
    setattr(value, name, given)


def _delete(peer, value, name):
    if isinstance(value, (type, types.FunctionType, types.MethodType)):
        raise Refused("an attribute of the tests' own class or function cannot be deleted by the code under test")
    _check_open(value)
    _check_name(name)
    delattr(value, name)


def _from(peer, cls, name, args, keywords):
    _check_method(name)
    _check_class(cls)
    entry = _find_entry(cls, name)
    if isinstance(entry, staticmethod):
        return entry.__get__(None, cls)(*args, **keywords)
    if not isinstance(args[0], cls):
        raise TypeError("not an object of this class")
    _check_open(args[0])
    return entry.__get__(args[0], type(args[0]))(*args[1:], **keywords)


def _from_class(peer, cls, name, owner, args, keywords):
    _check_method(name)
    _check_class(cls)
    if not (isinstance(owner, type) and issubclass(owner, cls)):
        raise TypeError("not a class derived from this one")
    return _find_entry(cls, name).__get__(None, owner)(*args, **keywords)


def _type_method(peer, cls, name, args):
    _check_class(cls)
    _check_method(name)
    return getattr(type(cls), name)(cls, *args)


def _get_from(peer, cls, name, value):
    _check_class(cls)
    return _get(peer, value, name)


def _next(peer, iterator, count):
    if not hasattr(type(iterator), "__next__"):
        raise TypeError("not an iterator")
    _check_open(iterator)
    return take(iterator, min(count, 1), lambda item: False, peer.pending)


def _run(peer, awaitable):
    if not hasattr(type(awaitable), "__await__"):
        raise TypeError("not awaitable")
    return run_awaitable(peer, awaitable)


def _signature(peer, function):
    from .operations import FOR_EXAMINER

    if not isinstance(function, (types.FunctionType, types.MethodType, type)):
        _check_open(function)
    parameters, _ = FOR_EXAMINER["signature"](peer, function)
    return [(name, kind, [None] if default else [], []) for name, kind, default, _ in parameters], []


def _code(peer, function):
    """Names and kinds of the parameters only: what else a test's function is made of is hidden."""
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    return {
        **{"co_name": code.co_name, "co_argcount": code.co_argcount, "co_kwonlyargcount": code.co_kwonlyargcount},
        **{"co_posonlyargcount": code.co_posonlyargcount, "co_varnames": code.co_varnames[:count], "co_flags": code.co_flags},
        **{"co_filename": "<tests>", "co_firstlineno": 1},
    }


FOR_CANDIDATE = {
    "code": _code,
    "tm": _type_method,
    "call": _call,
    "meth": _meth,
    "get": _get,
    "set": _set,
    "del": _delete,
    "from": _from,
    "fromclass": _from_class,
    "getfrom": _get_from,
    "hash": lambda peer, value: hash(value),
    "next": _next,
    "run": _run,
    "dir": lambda peer, value: [name for name in dir(value) if not is_special(name)],
    "signature": _signature,
}
