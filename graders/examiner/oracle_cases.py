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

GRADERS = {"stdio": stdio_cases, "function": function_cases}


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
    grader = GRADERS[request["grader"]]
    return [_one(oracle, parameters, grader, ("case-%d" % (n + 1), case)) for n, case in enumerate(drawn)]


def _one(oracle, parameters, grader, named):
    case_id, case = named
    if type(case) is not dict:
        raise OracleFailed("%s: cases() must give dicts, not %s" % (case_id, type(case).__name__))
    unknown = sorted(set(case) - grader.KEYS)
    if unknown:
        known = ", ".join(sorted(grader.KEYS))
        raise OracleFailed("%s: unknown key %r in a case; known: %s" % (case_id, unknown[0], known))
    expected = _guarded("expected() for " + case_id, lambda: oracle.expected(parameters, copy.deepcopy(case)))
    check = getattr(oracle, "check", None)
    bound = None if check is None else (lambda answer: check(parameters, copy.deepcopy(case), answer))
    if bound is not None:
        _guarded("check() on the expected answer of " + case_id, lambda: bound(_as_answer(expected)))
    try:
        return grader.make_case(case_id, case, (expected, bound))
    except (TypeError, ValueError, KeyError) as error:
        raise OracleFailed("%s: %s" % (case_id, error)) from None


def _as_answer(expected):
    """The expected answer in the form in which check() gets answers."""
    plain = getattr(expected, "text", getattr(expected, "value", expected))
    return plain.decode("utf-8", "replace") if isinstance(plain, bytes) else plain


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
    except BaseException as error:
        described = "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()[-1]
        raise OracleFailed("%s: %s: %s" % (_place(error), what, described)) from None


def _place(error):
    """Where in the author's file it happened."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith("/oracle.py")]
    if isinstance(error, SyntaxError) and error.lineno:
        lines.append(error.lineno)
    return "tests/oracle.py:%d" % lines[-1] if lines else "tests/oracle.py"
