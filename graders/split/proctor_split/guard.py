"""What the candidate's code may do with objects of the examiner's that a test handed to it: use them, not look behind them.

Nothing of the standard library is done here for the candidate, which has its own. A request must name an object of this side
that was shown (by number, never something built on the way), and the object must be the tests' own or handed over by them
(permission.py).
"""

import types

from .iterate import take
from .names import FORWARDED, is_special
from .operations import FOR_EXAMINER, find_entry, run_awaitable
from .permission import (
    CLOSED_NAMES,
    SHOWN_SPECIALS,
    check_call,
    check_class,
    check_member,
    check_mock,
    check_use,
    has_free_attributes,
    refuse,
)
from .refused import Refused

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


_WAITING = frozenset("wait wait_for join get put recv recv_into recvfrom accept connect sendall send read readline readlines".split())
_WAITING_MODULES = ("_thread", "threading", "queue", "_queue", "socket", "_socket")


def _run_method(value, name, run):
    """Runs a method of something of the tests', unless it would wait: no deadline ends what waits within this process."""
    if type(value).__module__ not in _WAITING_MODULES:
        return run()
    if name in ("acquire", "acquire_lock", "__enter__") and hasattr(value, "acquire"):
        if not value.acquire(False):
            raise Refused("a lock of the tests that is held cannot be waited for")
        return value if name == "__enter__" else True
    if name in _WAITING:
        raise Refused("%s of the tests' %s may wait" % (name, type(value).__name__))
    return run()


def _call(peer, function, args, keywords):
    check_call(peer, function)
    if isinstance(function, (types.MethodType, types.BuiltinFunctionType)):
        return _run_method(function.__self__, function.__name__, lambda: function(*args, **keywords))
    return function(*args, **keywords)


def _meth(peer, value, name, args, keywords):
    check_member(peer, value, name)
    return _run_method(value, name, lambda: getattr(value, name)(*args, **keywords))


def _get(peer, value, name):
    if isinstance(value, type):
        if not peer.tests.has_class(value) or is_special(name) and name not in SHOWN_SPECIALS or name in CLOSED_NAMES:
            raise AttributeError("%.100s cannot be asked of the tests' objects" % (name,))
    elif isinstance(value, types.FunctionType):
        if not peer.tests.has_function(value) or (is_special(name) and (name not in SHOWN_SPECIALS or name == "__dict__")):
            raise AttributeError("%.100s cannot be asked of the tests' objects" % (name,))
    elif isinstance(value, types.MethodType):
        if name not in ("__name__", "__qualname__", "__doc__", "__module__"):
            raise AttributeError("%.100s cannot be asked of the tests' objects" % (name,))
    else:
        check_member(peer, value, name)
    return getattr(value, name)


def _set(peer, value, name, given):
    if type(name) is not str or is_special(name) or name in CLOSED_NAMES:
        raise AttributeError("%.100s cannot be set" % (name,))
    if isinstance(value, type):
        check_class(peer, value)
        if hasattr(value, name):
            raise Refused("an attribute of the tests' own class cannot be replaced by the code under test")
    elif isinstance(value, types.FunctionType):
        if not peer.tests.has_function(value):
            refuse(value)
    else:
        check_use(peer, value, "__eq__" if has_free_attributes(type(value)) else name)
        check_mock(value, name)
        if callable(getattr(value, name, None)):
            raise Refused("a method of the tests' own object cannot be replaced by the code under test")
    setattr(value, name, given)


def _delete(peer, value, name):
    if isinstance(value, (type, types.FunctionType, types.MethodType)) or type(name) is not str or is_special(name):
        raise Refused("an attribute of the tests' own class or function cannot be deleted by the code under test")
    check_member(peer, value, name)
    delattr(value, name)


def _from(peer, cls, name, args, keywords):
    if not isinstance(cls, type) or not isinstance(args[0], cls) or (type(name) is str and is_special(name) and name not in FORWARDED):
        raise TypeError("not an object of this class")
    check_use(peer, args[0], name)
    check_mock(args[0], name if not is_special(name) else "")
    entry = find_entry(cls, name)
    if isinstance(entry, staticmethod):
        return entry.__get__(None, cls)(*args[1:], **keywords)
    return _run_method(args[0], name, lambda: entry.__get__(args[0], type(args[0]))(*args[1:], **keywords))


def _from_class(peer, cls, name, owner, args, keywords):
    check_class(peer, owner)
    if not isinstance(cls, type) or not issubclass(owner, cls) or (is_special(name) and name not in FORWARDED):
        raise TypeError("not a class derived from this one")
    check_class(peer, cls)
    return find_entry(cls, name).__get__(None, owner)(*args, **keywords)


def _type_method(peer, cls, name, args):
    check_class(peer, cls)
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
    check_use(peer, iterator, "__next__")
    return take(iterator, 1, lambda item: False, peer.pending)


def _run(peer, awaitable):
    if type(awaitable) is not types.CoroutineType or not peer.refs.is_handed(awaitable):
        raise TypeError("not a coroutine of the tests")
    return run_awaitable(peer, awaitable)


def _function(peer, value):
    if not (peer.tests.has_function(value) or type(value) is types.MethodType and peer.tests.has_function(value.__func__)):
        refuse(value)
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
        check_use(peer, value, "__hash__")
    return hash(value)


def _names(peer, value):
    if isinstance(value, type):
        check_class(peer, value)
    else:
        check_use(peer, value, "__dir__")
    return [name for name in dir(value) if not is_special(name)]


def bound_method(peer, value, name):
    """A method of an object of this side, as the candidate hands it back."""
    check_member(peer, value, name)
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
HANDING = frozenset(["call", "meth", "from", "fromclass", "next", "run", "tm"])
