"""Right shapes, wrong values: stands in the place of a module, runs the reference's own source, and spoils what it gives.

A test that passes for it looks at shapes only. `proctor audit` puts the module's name and source in here.
"""

import functools
import importlib
import inspect
import json
import pkgutil
import sys

_NAME = "@MODULE@"
exec(compile(json.loads(@SOURCE@), _NAME, "exec"), globals())
for _found in pkgutil.walk_packages(globals().get("__path__", []), _NAME + "."):
    if not _found.name.endswith("__main__"):
        importlib.import_module(_found.name)


def _spoil(value, depth=0):
    kind = type(value)
    if kind is bool:
        return not value
    if kind is int:
        return value + 7
    if kind is float:
        return value * 1.7 + 3.1
    if kind is str:
        return value + "~"
    if kind is bytes:
        return value + b"~"
    if depth > 3:
        return value
    if kind in (list, tuple):
        return kind([_spoil(item, depth + 1) for item in value])
    if kind is dict:
        return {key: _spoil(item, depth + 1) for key, item in value.items()}
    if inspect.isgenerator(value):
        return (_spoil(item, depth + 1) for item in value)
    return value


def _hollow(function):
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def spoiled_later(*args, **keywords):
            return _spoil(await function(*args, **keywords))

        return spoiled_later

    @functools.wraps(function)
    def spoiled(*args, **keywords):
        return _spoil(function(*args, **keywords))

    return spoiled


def _hollow_class(cls):
    for name, value in list(vars(cls).items()):
        if inspect.isfunction(value) and not name.startswith("__"):
            setattr(cls, name, _hollow(value))
        elif isinstance(value, property) and value.fget is not None:
            setattr(cls, name, property(_hollow(value.fget), value.fset, value.fdel, value.__doc__))
    return cls


_done = set()


def _is_own(value):
    home = getattr(value, "__module__", None)
    return isinstance(home, str) and (home == _NAME or home.startswith(_NAME + "."))


def _hollow_module(module):
    for name, value in list(vars(module).items()):
        if not _is_own(value):
            continue
        if inspect.isclass(value) and value not in _done:
            _done.add(value)
            _hollow_class(value)
        elif inspect.isfunction(value) and not name.startswith("_"):
            setattr(module, name, _hollow(value))


_done = set()
for _full, _module in list(sys.modules.items()):
    if _full == _NAME or _full.startswith(_NAME + "."):
        _hollow_module(_module)
