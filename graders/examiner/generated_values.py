"""Runs a task's tests/generate.py: parameters that only a program can draw.

It defines `generate(parameters, random)`, which gives a dict of plain values, or raises `Reject` to be asked again with
other numbers. `random` is a random.Random of this instance's own. See docs/task-format.md.
"""

import importlib.util
import json
import os
import random

from oracle_cases import OracleFailed, guarded

MOST_TRIES = 200
MOST_BYTES = 8 * 1024 * 1024
PLACE = "generate.py"


class Reject(Exception):
    """Raised by a generator whose draw is of no use."""


def generate(tests_folder, request):
    """The values that `gives` names; raises OracleFailed with the reason."""
    path = os.path.join(tests_folder, PLACE)
    module = guarded("load tests/" + PLACE, lambda: _load(path), PLACE)
    for tries in range(MOST_TRIES):
        stream = random.Random("%s/%d" % (request["seed"], tries))
        values = guarded("generate()", lambda: _ask(module, request["parameters"], stream), PLACE)
        if values is not None:
            return _checked(values, request["gives"])
    raise OracleFailed("tests/%s: generate() rejected %d draws" % (PLACE, MOST_TRIES))


def _load(path):
    spec = importlib.util.spec_from_file_location("generate", path)
    module = importlib.util.module_from_spec(spec)
    module.Reject = Reject
    spec.loader.exec_module(module)
    if not callable(getattr(module, "generate", None)):
        raise OracleFailed("tests/%s must define generate()" % PLACE)
    return module


def _ask(module, parameters, stream):
    try:
        return module.generate(json.loads(json.dumps(parameters)), stream)
    except Reject:
        return None


def _checked(values, gives):
    if type(values) is not dict or set(values) != set(gives):
        given = sorted(map(str, values)) if type(values) is dict else type(values).__name__
        raise OracleFailed("tests/%s: generate() must give a dict of %s, not %s" % (PLACE, ", ".join(gives), given))
    for name, value in values.items():
        if not (_is_scalar(value) or _is_list(value) or _is_table(value)):
            raise OracleFailed(
                "tests/%s: %s must be a text, a finite number, a list of these, or a list of dicts of these with the same keys" % (PLACE, name)
            )
    if len(json.dumps(values)) > MOST_BYTES:
        raise OracleFailed("tests/%s: generate() gave more than %d bytes" % (PLACE, MOST_BYTES))
    return values


def _is_scalar(value):
    if type(value) is int:
        return abs(value) <= 2**53
    if type(value) is str:
        return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
    return type(value) is float and abs(value) < float("inf")


def _is_list(value):
    return type(value) in (list, tuple) and all(map(_is_scalar, value))


def _is_table(value):
    rows = type(value) is list and all(type(row) is dict for row in value)
    return rows and all(
        list(row) == list(value[0]) and all(type(key) is str and _is_scalar(cell) for key, cell in row.items()) for row in value
    )
