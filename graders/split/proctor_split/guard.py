"""What the candidate's code may do with objects of the examiner's that a test handed to it: use them, not look behind them.

Nothing of the standard library is done here for the candidate, which has its own. A request must name an object of this side
that was shown (by number, never something built on the way), and the object must be the tests' own or handed over by them.
"""

import functools
import sys
import types

from .refused import Refused
from .iterate import take
from .names import FORWARDED, is_special
from .operations import FOR_EXAMINER, _find_entry, run_awaitable

_SHOWN_SPECIALS = frozenset(
    "__%s__" % name
    for name in "name qualname doc module annotations slots match_args dict dataclass_fields dataclass_params".split()
)
# what leads from a plain attribute to frames, code or other people's objects
_CLOSED_NAMES = frozenset(
    "gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await cr_origin ag_frame ag_code ag_await f_locals f_globals f_builtins "
    "f_back f_code tb_frame tb_next func_globals func_code mro with_traceback skipTest fail addCleanup doCleanups "
    "format format_map manager root parent".split()
)
# what a test asks its own mock afterwards
_MOCK_NAMES = frozenset(
    "called call_count call_args call_args_list method_calls mock_calls side_effect return_value configure_mock reset_mock "
    "attach_mock mock_add_spec await_count await_args await_args_list awaited".split()
)
_LOGGING_NAMES = frozenset(
    "debug info warning error exception critical log isEnabledFor handle emit acquire release setLevel flush close name level".split()
)
# modules whose classes do nothing to the process by their methods
_HARMLESS = frozenset(
    "builtins collections _collections _collections_abc collections.abc abc enum io _io threading _thread queue _queue types datetime "
    "decimal fractions numbers random _random itertools functools contextlib dataclasses typing weakref _weakref socket _socket "
    "unittest.mock logging argparse array operator _operator".split()
)
_NEVER_CALLED = frozenset(
    map(id, (getattr, setattr, delattr, vars, globals, locals, eval, exec, compile, __import__, open, input, type, super, dir))
)
_CLOSED_TYPES = (types.FrameType, types.CodeType, types.TracebackType, types.ModuleType)

# places of a message that must name an object of this side by its number
_TARGETS = {"from": (3, 5), "fromclass": (3, 5), "getfrom": (3, 5)}
_WITH_ARGUMENTS = "from"


def check_form(message):
    """Refuses a request whose target is not an object that this side has shown."""
    places = _TARGETS.get(message[0], (3,))
    for place in places:
        form = message[place]
        if message[0] == _WITH_ARGUMENTS and place == 5:
            form = form[1][0] if form[0] == "t" and form[1] else None
        if type(form) is not list or form[0] != "r":
            raise Refused("only what a test has handed over can be used")


class TestModules:
    """Which modules are the tests' own: those whose files lie beneath the tests' folder."""

    __test__ = False

    def __init__(self, folder):
        self._folder = folder.rstrip("/") + "/"

    def has(self, name):
        """Whether a module of this name is one of the tests'."""
        file = getattr(sys.modules.get(name), "__file__", None) if type(name) is str else None
        return type(file) is str and file.startswith(self._folder)

    def has_function(self, function):
        """Whether a function was defined by the tests."""
        return type(function) is types.FunctionType and self.has(function.__globals__.get("__name__"))

    def has_class(self, cls):
        """Whether a class was defined by the tests."""
        return self.has(type.__dict__["__module__"].__get__(cls))


def _refuse(value):
    raise Refused("a %s of the tests cannot be used like this by the code under test" % type(value).__name__)


def _check_use(peer, value, name):
    """Whether an attribute or method of this name may be used: one of the tests' own, or a harmless one of something handed over."""
    if type(name) is not str or name in _CLOSED_NAMES or (is_special(name) and name not in FORWARDED | _SHOWN_SPECIALS):
        raise AttributeError("%.100s cannot be asked of the tests' objects" % (name,))
    if isinstance(value, _CLOSED_TYPES):
        _refuse(value)
    cls = type(value)
    own = peer.tests.has_class(cls)
    if not own and not peer.refs.is_handed(value):
        _refuse(value)
    home = next((base for base in cls.__mro__ if name in base.__dict__), None)
    if home is None or home is object or peer.tests.has_class(home):
        if not own and home is None and not _has_free_attributes(cls):
            raise AttributeError("%r object has no attribute %r" % (cls.__name__, name))
        return
    module = home.__module__
    allowed = module in _HARMLESS and not (name.startswith("_") and not is_special(name))
    if module == "logging":
        allowed = name in _LOGGING_NAMES
    elif module == "argparse":
        allowed = home.__name__ == "Namespace" and is_special(name)
    if not allowed:
        _refuse(value)


def _has_free_attributes(cls):
    return cls.__module__ == "unittest.mock" or (cls.__module__, cls.__name__) in (("types", "SimpleNamespace"), ("argparse", "Namespace"))


def _check_mock(value, name):
    if type(value).__module__ == "unittest.mock" and (name in _MOCK_NAMES or name.startswith(("assert", "_", "mock_"))):
        _refuse(value)


def _check_call(peer, function):
    if id(function) in _NEVER_CALLED:
        _refuse(function)
    if isinstance(function, functools.partial):
        if not peer.refs.is_handed(function):
            _refuse(function)
        return _check_inner(function.func)
    if isinstance(function, type):
        if not peer.tests.has_class(function) or issubclass(function, type):
            _refuse(function)
        return None
    if peer.tests.has_function(function):
        return None
    if type(function) is types.MethodType:
        if function.__name__ in _CLOSED_NAMES:
            _refuse(function)
        if peer.tests.has_class(type(function.__self__)) or peer.refs.is_handed(function):
            return None
        _refuse(function)
    if isinstance(function, (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)):
        if not peer.refs.is_handed(function) or getattr(function, "__name__", "") in _CLOSED_NAMES:
            _refuse(function)
        return None
    return _check_use(peer, function, "__call__")


def _check_inner(function):
    while isinstance(function, functools.partial):
        function = function.func
    if id(function) in _NEVER_CALLED or isinstance(function, type) and issubclass(function, type):
        _refuse(function)


def _call(peer, function, args, keywords):
    _check_call(peer, function)
    return function(*args, **keywords)


def _meth(peer, value, name, args, keywords):
    _check_use(peer, value, name)
    _check_mock(value, name)
    return getattr(value, name)(*args, **keywords)


def _get(peer, value, name):
    if isinstance(value, type):
        _check_class(peer, value)
        if is_special(name) and name not in _SHOWN_SPECIALS or name in _CLOSED_NAMES:
            raise AttributeError("%.100s cannot be asked of the tests' objects" % (name,))
    elif isinstance(value, types.FunctionType):
        if not peer.tests.has_function(value) or (is_special(name) and (name not in _SHOWN_SPECIALS or name == "__dict__")):
            raise AttributeError("%.100s cannot be asked of the tests' objects" % (name,))
    elif isinstance(value, types.MethodType):
        if name not in ("__name__", "__qualname__", "__doc__", "__module__"):
            raise AttributeError("%.100s cannot be asked of the tests' objects" % (name,))
    else:
        _check_use(peer, value, name)
        _check_mock(value, name)
    return getattr(value, name)


def _check_class(peer, cls):
    if not isinstance(cls, type) or not peer.tests.has_class(cls):
        _refuse(cls)


def _set(peer, value, name, given):
    if type(name) is not str or is_special(name) or name in _CLOSED_NAMES:
        raise AttributeError("%.100s cannot be set" % (name,))
    if isinstance(value, type):
        _check_class(peer, value)
        if hasattr(value, name):
            raise Refused("an attribute of the tests' own class cannot be replaced by the code under test")
    elif isinstance(value, types.FunctionType):
        if not peer.tests.has_function(value):
            _refuse(value)
    else:
        _check_use(peer, value, "__eq__" if _has_free_attributes(type(value)) else name)
        _check_mock(value, name)
        if callable(getattr(value, name, None)):
            raise Refused("a method of the tests' own object cannot be replaced by the code under test")
    setattr(value, name, given)


def _delete(peer, value, name):
    if isinstance(value, (type, types.FunctionType, types.MethodType)) or type(name) is not str or is_special(name):
        raise Refused("an attribute of the tests' own class or function cannot be deleted by the code under test")
    _check_use(peer, value, name)
    _check_mock(value, name)
    delattr(value, name)


def _from(peer, cls, name, args, keywords):
    if not isinstance(cls, type) or not isinstance(args[0], cls) or (type(name) is str and is_special(name) and name not in FORWARDED):
        raise TypeError("not an object of this class")
    _check_use(peer, args[0], name)
    _check_mock(args[0], name if not is_special(name) else "")
    entry = _find_entry(cls, name)
    if isinstance(entry, staticmethod):
        return entry.__get__(None, cls)(*args[1:], **keywords)
    return entry.__get__(args[0], type(args[0]))(*args[1:], **keywords)


def _from_class(peer, cls, name, owner, args, keywords):
    _check_class(peer, owner)
    if not isinstance(cls, type) or not issubclass(owner, cls) or (is_special(name) and name not in FORWARDED):
        raise TypeError("not a class derived from this one")
    _check_class(peer, cls)
    return _find_entry(cls, name).__get__(None, owner)(*args, **keywords)


def _type_method(peer, cls, name, args):
    _check_class(peer, cls)
    if name not in FORWARDED:
        raise AttributeError("%.100s cannot be asked of the tests' classes" % (name,))
    return getattr(type(cls), name)(cls, *args)


def _get_from(peer, cls, name, value):
    if not isinstance(cls, type) or not isinstance(value, cls):
        raise TypeError("not an object of this class")
    return _get(peer, value, name)


def _next(peer, iterator, count):
    if not hasattr(type(iterator), "__next__"):
        raise TypeError("not an iterator")
    _check_use(peer, iterator, "__next__")
    return take(iterator, 1, lambda item: False, peer.pending)


def _run(peer, awaitable):
    if type(awaitable) is not types.CoroutineType or not peer.refs.is_handed(awaitable):
        raise TypeError("not a coroutine of the tests")
    return run_awaitable(peer, awaitable)


def _function(peer, value):
    if not (peer.tests.has_function(value) or type(value) is types.MethodType and peer.tests.has_function(value.__func__)):
        _refuse(value)
    return value


def _signature(peer, function):
    parameters, _ = FOR_EXAMINER["signature"](peer, _function(peer, function))
    return [(name, kind, [None] if default else [], []) for name, kind, default, _ in parameters], []


def _code(peer, function):
    """Names and kinds of the parameters only: what else a test's function is made of is hidden."""
    code = _function(peer, function).__code__
    count = code.co_argcount + code.co_kwonlyargcount
    return {
        **{"co_name": code.co_name, "co_argcount": code.co_argcount, "co_kwonlyargcount": code.co_kwonlyargcount},
        **{"co_posonlyargcount": code.co_posonlyargcount, "co_varnames": code.co_varnames[:count], "co_flags": code.co_flags},
        **{"co_filename": "<tests>", "co_firstlineno": 1},
    }


def _hash(peer, value):
    if not isinstance(value, type):
        _check_use(peer, value, "__hash__")
    return hash(value)


def _names(peer, value):
    if isinstance(value, type):
        _check_class(peer, value)
    else:
        _check_use(peer, value, "__dir__")
    return [name for name in dir(value) if not is_special(name)]


def bound_method(peer, value, name):
    """A method of an object of this side, as the candidate hands it back."""
    _check_use(peer, value, name)
    _check_mock(value, name)
    return getattr(value, name)


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
    "hash": _hash,
    "next": _next,
    "run": _run,
    "dir": _names,
    "signature": _signature,
}
# what these answer was made by the tests' own code, and so is handed over by it
HANDING = frozenset(["call", "meth", "from", "fromclass", "next", "run"])
