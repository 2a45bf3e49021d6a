"""What one side may ask of the other's objects. The first argument is the Peer that answers."""

import asyncio
import copy
import importlib
import pickle
import types

from .iterate import take
from .signatures import told_signature

_MISSING = object()


def find_entry(cls, name):
    """The entry that a class has for a name, as it lies in the dict of the class or a base."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    entry = getattr(type(cls), name, _MISSING)
    if entry is _MISSING:
        raise AttributeError("type object %r has no attribute %r" % (cls.__name__, name))
    return entry


def _from(peer, cls, name, args, keywords):
    """A method as a class has it, whatever the instance's own class makes of it."""
    entry = find_entry(cls, name)
    if isinstance(entry, staticmethod):
        return entry.__get__(None, cls)(*args, **keywords)
    if name == "__new__":
        return getattr(cls, "__new__")(*args, **keywords)
    if hasattr(type(entry), "__get__"):
        return entry.__get__(args[0], type(args[0]))(*args[1:], **keywords)
    return entry(*args[1:], **keywords)


def _from_class(peer, cls, name, owner, args, keywords):
    entry = find_entry(cls, name)
    if isinstance(entry, types.FunctionType):
        return entry(owner, *args, **keywords)
    return entry.__get__(None, owner)(*args, **keywords)


def _get_from(peer, cls, name, value):
    entry = find_entry(cls, name)
    return entry.__get__(value, type(value)) if hasattr(type(entry), "__get__") else entry


def _raw(peer, cls, name):
    """The entry of a class as it lies in its dict: shown as an object, to be put back later."""
    number = peer.refs.export(cls.__dict__[name] if name in cls.__dict__ else find_entry(cls, name))
    return number


def _next(peer, iterator, count):
    before = peer.calls_back
    return take(iterator, count, lambda item: peer.calls_back == before and peer.goes_by_value(item), peer.pending)


def _public(peer, module):
    named = getattr(module, "__all__", None)
    return list(named) if named is not None else [name for name in vars(module) if not name.startswith("_")]


def _signature(peer, function):
    return told_signature(function)


def _code(peer, function):
    """The shape of a function's code: names and counts, nothing that could be run."""
    names = ("co_name", "co_argcount", "co_kwonlyargcount", "co_posonlyargcount", "co_varnames", "co_flags", "co_nlocals")
    names += ("co_freevars", "co_cellvars", "co_firstlineno", "co_filename")
    return {name: getattr(function.__code__, name) for name in names}


def look_up(module, names):
    """What a module holds by these names, one within the other; the module itself without any."""
    value = importlib.import_module(module)
    for name in names:
        value = getattr(value, name)
    return value


def _find(peer, module, name):
    return peer.refs.export(look_up(module, name.split(".") if name else ()))


def run_awaitable(peer, awaitable):
    """Runs a coroutine of this side to its end, on a loop of its own even while another one is running."""
    outer = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        if peer.loop is None or peer.loop.is_running() or peer.loop.is_closed():
            loop = asyncio.new_event_loop()
            if peer.loop is None:
                peer.loop = loop
        else:
            loop = peer.loop
        return loop.run_until_complete(_awaited(awaitable))
    finally:
        asyncio._set_running_loop(outer)


async def _awaited(awaitable):
    return await awaitable


def _derive(peer, name, told, bases, body, keywords):
    """Makes the class that the other side derived here, its methods forwarding; gives the class's number."""

    def fill(namespace):
        namespace.update(body)
        namespace["__module__"], namespace["__qualname__"] = told["m"], told["q"]

    cls = types.new_class(name, bases, keywords, fill)
    number = peer.refs.export(cls)
    peer.refs.made_there(number)
    return number


def _unpickle(peer, data):
    return pickle.loads(data)


def _type_method(peer, cls, name, args):
    return getattr(type(cls), name)(cls, *args)


FOR_EXAMINER = {
    "call": lambda peer, function, args, keywords: function(*args, **keywords),
    "meth": lambda peer, value, name, args, keywords: getattr(value, name)(*args, **keywords),
    "get": lambda peer, value, name: getattr(value, name),
    "set": lambda peer, value, name, given: setattr(value, name, given),
    "del": lambda peer, value, name: delattr(value, name),
    "from": _from,
    "fromclass": _from_class,
    "getfrom": _get_from,
    "raw": _raw,
    "tm": _type_method,
    "hash": lambda peer, value: hash(value),
    "next": _next,
    "run": run_awaitable,
    "dir": lambda peer, value: dir(value),
    "public": _public,
    "signature": _signature,
    "code": _code,
    "find": _find,
    "derive": _derive,
    "copy": lambda peer, value: copy.copy(value),
    "deepcopy": lambda peer, value: copy.deepcopy(value),
    "pickle": lambda peer, value, protocol: pickle.dumps(value, protocol),
    "unpickle": _unpickle,
}


def import_module(peer, name):
    """Imports a module of the artifact; one that was imported before is not run again."""
    importlib.invalidate_caches()
    return importlib.import_module(name)


def attributes_of(peer, module, names):
    """What a module has by these names, each as (whether it is there, it): for `from module import ...` at once."""
    found = []
    for name in names:
        try:
            found.append((True, getattr(module, name)))
        except Exception:  # asked for again, that is told where it belongs
            found.append((False, None))
    return found


def reload_module(peer, module):
    """Runs a module of the artifact again."""
    return importlib.reload(module)


FOR_EXAMINER["import"] = import_module
FOR_EXAMINER["attributes"] = attributes_of
FOR_EXAMINER["reload"] = reload_module
