"""Which of the tests' objects the candidate's code may use, and for what."""

import dataclasses
import functools
import sys
import types

from .names import FORWARDED, is_special
from .refused import Refused

SHOWN_SPECIALS = frozenset(
    "__%s__" % name
    for name in "name qualname doc module annotations slots match_args dict dataclass_fields dataclass_params".split()
)
# what leads from a plain attribute to frames, code or other people's objects
CLOSED_NAMES = frozenset(
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


def refuse(value):
    """Refuses by the name of the object's class."""
    raise Refused("a %s of the tests cannot be used like this by the code under test" % type(value).__name__)


def check_use(peer, value, name):
    """Whether an attribute or method of this name may be used: one of the tests' own, or a harmless one of something handed over."""
    if type(name) is not str or name in CLOSED_NAMES or (is_special(name) and name not in FORWARDED | SHOWN_SPECIALS):
        raise AttributeError("%.100s cannot be asked of the tests' objects" % (name,))
    cls = type(value)
    if isinstance(value, _CLOSED_TYPES) or _holds_tests(cls):
        refuse(value)
    own = peer.tests.has_class(cls) or cls is dataclasses.Field
    if name == "__dict__" and not own:
        raise AttributeError("%r object has no attribute '__dict__' to show" % cls.__name__)
    if not own and not peer.refs.is_handed(value):
        refuse(value)
    home = next((base for base in cls.__mro__ if name in base.__dict__), None)
    if home is None or home is object or peer.tests.has_class(home):
        if not own and home is None and not has_free_attributes(cls):
            raise AttributeError("%r object has no attribute %r" % (cls.__name__, name))
        return
    module = home.__module__
    allowed = module in _HARMLESS and not (name.startswith("_") and not is_special(name))
    if module == "logging":
        allowed = name in _LOGGING_NAMES
    elif module == "argparse":
        allowed = home.__name__ == "Namespace" and is_special(name)
    if not allowed:
        refuse(value)


def _holds_tests(cls):
    """Whether a class is one of test cases, whose objects hold what is expected."""
    unittest = sys.modules.get("unittest")
    if unittest is not None and issubclass(cls, unittest.TestCase):
        return True
    return any(name.startswith("test") for name in dir(cls)) and not cls.__module__.startswith("unittest")


def has_free_attributes(cls):
    """Whether objects of a class of the library hold whatever attributes the tests give them."""
    return cls.__module__ == "unittest.mock" or (cls.__module__, cls.__name__) in (("types", "SimpleNamespace"), ("argparse", "Namespace"))


def check_mock(value, name):
    """Refuses what a test asks its own mock afterwards."""
    if type(value).__module__ == "unittest.mock" and (name in _MOCK_NAMES or name.startswith(("assert", "_", "mock_"))):
        refuse(value)


def check_member(peer, value, name):
    """Both, for what is asked of an object by name."""
    check_use(peer, value, name)
    check_mock(value, name)


def check_call(peer, function):
    """Whether something may be called: a function or class of the tests' own, or one that they handed over."""
    if id(function) in _NEVER_CALLED:
        refuse(function)
    if isinstance(function, functools.partial):
        if not peer.refs.is_handed(function):
            refuse(function)
        return _check_inner(function.func)
    if isinstance(function, type):
        if not peer.tests.has_class(function) or issubclass(function, type):
            refuse(function)
        return None
    if peer.tests.has_function(function):
        return None
    if type(function) is types.MethodType:
        if function.__name__ in CLOSED_NAMES:
            refuse(function)
        if peer.tests.has_class(type(function.__self__)) or peer.refs.is_handed(function):
            return None
        refuse(function)
    if isinstance(function, (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)):
        if not peer.refs.is_handed(function) or getattr(function, "__name__", "") in CLOSED_NAMES:
            refuse(function)
        return None
    return check_use(peer, function, "__call__")


def _check_inner(function):
    while isinstance(function, functools.partial):
        function = function.func
    if id(function) in _NEVER_CALLED or isinstance(function, type) and issubclass(function, type):
        refuse(function)


def check_class(peer, cls):
    """Refuses a class that is not the tests' own."""
    if not isinstance(cls, type) or not peer.tests.has_class(cls):
        refuse(cls)
