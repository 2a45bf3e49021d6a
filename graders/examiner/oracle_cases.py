"""Turns a task's tests/oracle.py into cases that can be sent out and judged.

The oracle defines `cases(parameters, random)` and `expected(parameters, case)`, and may define
`check(parameters, case, answer)`. See docs/task-format.md.
"""

import copy
import importlib.util
import os
import random
import traceback

import function_cases
import stdio_cases

GRADERS = {"stdio": stdio_cases.make_case, "function": function_cases.make_case}


class OracleFailed(Exception):
    """The task's oracle is wrong: the task's fault, never the candidate's."""


def draw_cases(tests_folder, request):
    """The cases of one instance, with what is right computed now; raises OracleFailed with the reason."""
    oracle = _guarded("load tests/oracle.py", lambda: _load(os.path.join(tests_folder, "oracle.py")))
    parameters = request["parameters"]
    drawn = _guarded("cases()", lambda: list(oracle.cases(parameters, random.Random(request["seed"]))))
    if not drawn:
        raise OracleFailed("tests/oracle.py: cases() gave no case")
    if len(drawn) > request["maxCases"]:
        raise OracleFailed("tests/oracle.py: cases() gave %d cases, at most %d" % (len(drawn), request["maxCases"]))
    make = GRADERS[request["grader"]]
    return [_one(oracle, parameters, make, ("case-%d" % (n + 1), case)) for n, case in enumerate(drawn)]


def _one(oracle, parameters, make, named):
    case_id, case = named
    if type(case) is not dict:
        raise OracleFailed("%s: cases() must give dicts, not %s" % (case_id, type(case).__name__))
    expected = _guarded("expected() for " + case_id, lambda: oracle.expected(parameters, copy.deepcopy(case)))
    check = getattr(oracle, "check", None)
    bound = None if check is None else (lambda answer: check(parameters, copy.deepcopy(case), answer))
    try:
        return make(case_id, case, (expected, bound))
    except (TypeError, ValueError, KeyError) as error:
        raise OracleFailed("%s: %s" % (case_id, error)) from None


def _load(path):
    spec = importlib.util.spec_from_file_location("oracle", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("cases", "expected"):
        if not callable(getattr(module, name, None)):
            raise OracleFailed("tests/oracle.py must define %s()" % name)
    return module


def _guarded(what, call):
    try:
        return call()
    except OracleFailed:
        raise
    except BaseException:
        raise OracleFailed("%s failed: %s" % (what, traceback.format_exc(limit=-3))) from None
