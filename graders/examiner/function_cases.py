"""Cases for Python functions: plain arguments in, a plain value or an exception out, compared by exact type and value."""

import builtins
import json
import re

import values
from proctor_oracle import Approx, Raises

KEYS = {"function", "args", "kwargs", "data"}


class FunctionCase:
    """One case with what is right about it; `request` is what may leave the examiner."""

    def __init__(self, case_id, request, judge):
        self.id = case_id
        self.request = request
        self.judge = judge


def make_case(case_id, case, right):
    """A case of tests/oracle.py made ready; raises ValueError or TypeError with what is wrong in it."""
    expected, check = right
    args, kwargs, name = list(case.get("args", [])), dict(case.get("kwargs", {})), case.get("function")
    if name is not None and type(name) is not str:
        raise TypeError("function must be a name, not %s" % type(name).__name__)
    for given in (args, kwargs):
        if not values.same(given, values.decode(values.encode(given))):
            raise TypeError("args and kwargs must be plain values (see docs/task-format.md)")
    request = {
        "function": name,
        "args": values.encode(args),
        "kwargs": values.encode(kwargs),
    }
    if not isinstance(expected, Raises):
        plain = expected.value if isinstance(expected, Approx) else expected
        if not values.same(plain, values.decode(values.encode(plain))):
            raise TypeError("expected() must return plain values, Approx or Raises, not %s" % _unplain(plain))
    return FunctionCase(case_id, request, lambda answer, body: _judge((expected, check), answer, body))


def _unplain(value):
    """What in a value is not plain, by the name of its class."""
    kinds = re.findall(r'\["o", "([^"]*)"\]', json.dumps(values.encode(value)))
    return kinds[0] if kinds else type(value).__name__


def _judge(right, answer, body):
    expected, check = right
    try:
        said = json.loads(body)
    except (ValueError, RecursionError) as error:
        return False, "the answer is not JSON: %.200s" % error
    raised = answer["kind"] == "raised"
    if isinstance(expected, Raises):
        return _judge_raised(expected, said) if raised else (False, "no exception where %s is right" % expected.class_name)
    if raised:
        return False, "raised %.200s: %.300s" % (said["classes"][0], said["message"])
    return _judge_value(expected, check, said)


def _judge_value(expected, check, said):
    try:
        given = values.decode(said)
    except values.NotPlain as error:
        return False, "the answer is not a plain value: %s" % error
    if check is not None:
        ruling = check(given)
        return (True, "") if ruling is True else (False, "check: %s" % (ruling or "refused"))
    plain, tolerance = (expected.value, expected.tolerance) if isinstance(expected, Approx) else (expected, 0.0)
    if values.same(plain, given, tolerance):
        return True, ""
    return False, "expected %.300r, got %.300r" % (plain, given)


def _judge_raised(expected, said):
    """A built-in exception must be what the raised class is first of all: one class cannot be every exception at once."""
    names = [str(name) for name in said["classes"][:30]]
    wanted = getattr(builtins, expected.class_name, None)
    if wanted is None:
        right = expected.class_name in [name.rsplit(".", 1)[-1] for name in names]
    else:
        first = next((name[len("builtins.") :] for name in names if name.startswith("builtins.")), "object")
        right = issubclass(getattr(builtins, first, object), wanted)
    return (True, "") if right else (False, "raised %.200s where %s is right" % (names[0], expected.class_name))
