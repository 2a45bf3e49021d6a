"""Turns a task's tests/oracle.py into cases that can be sent out and judged.

The oracle defines `cases(parameters, random)` and `expected(parameters, case)`, and may define
`check(parameters, case, answer)` and `examples(parameters)`. See docs/task-format.md.
"""

import copy
import hashlib
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
    oracle = guarded("load tests/oracle.py", lambda: _load(os.path.join(tests_folder, "oracle.py")))
    parameters, prefix = request["parameters"], request["prefix"]
    name, draw = _drawing(oracle, request)
    drawn = guarded(name, lambda: list(draw()))
    if not drawn:
        raise OracleFailed("tests/oracle.py: %s gave no case" % name)
    if len(drawn) > request["maxCases"]:
        raise OracleFailed("tests/oracle.py: %s gave %d cases, at most %d" % (name, len(drawn), request["maxCases"]))
    grader = GRADERS[request["grader"]]
    return [_one(oracle, parameters, grader, ("%s-%d" % (prefix, n + 1), case)) for n, case in enumerate(drawn)]


def answer_digests(tests_folder, request):
    """A digest of what is asked and right for each of some parameters, all with the same numbers drawn: equal ones have the same answers."""
    oracle = guarded("load tests/oracle.py", lambda: _load(os.path.join(tests_folder, "oracle.py")))
    return [_answer_digest(oracle, request["seed"], parameters) for parameters in request["sets"]]


def _answer_digest(oracle, seed, parameters):
    drawn = guarded("cases()", lambda: list(oracle.cases(parameters, random.Random(seed))))
    asked = [(case, guarded("expected()", lambda case=case: oracle.expected(parameters, copy.deepcopy(case)))) for case in drawn]
    # where check() decides, what is right is in no value: all parameters may matter
    rules = parameters if hasattr(oracle, "check") else None
    told = repr((rules, [(_plain(case), _plain(right)) for case, right in asked]))
    return hashlib.sha256(told.encode("utf-8", "backslashreplace")).hexdigest()


def _plain(value):
    """The same text for values that say the same: objects by what they hold, never by where they lie."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, map(_plain, value)))
    if hasattr(value, "__dict__"):
        return type(value).__name__, _plain(vars(value))
    return value


def _drawing(oracle, request):
    parameters = request["parameters"]
    if request["what"] == "cases":
        return "cases()", lambda: oracle.cases(parameters, random.Random(request["seed"]))
    if not callable(getattr(oracle, "examples", None)):
        raise OracleFailed("tests/oracle.py must define examples(): the task has siblings")
    return "examples()", lambda: oracle.examples(parameters)


def _one(oracle, parameters, grader, named):
    case_id, case = named
    if type(case) is not dict:
        raise OracleFailed("%s: cases() must give dicts, not %s" % (case_id, type(case).__name__))
    unknown = sorted(set(case) - grader.KEYS)
    if unknown:
        known = ", ".join(sorted(grader.KEYS))
        raise OracleFailed("%s: unknown key %r in a case; known: %s" % (case_id, unknown[0], known))
    expected = guarded("expected() for " + case_id, lambda: oracle.expected(parameters, copy.deepcopy(case)))
    check = getattr(oracle, "check", None)
    bound = None if check is None else (lambda answer: check(parameters, copy.deepcopy(case), answer))
    if bound is not None:
        guarded("check() on the expected answer of " + case_id, lambda: bound(_as_answer(expected)))
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


def guarded(what, call, file="oracle.py"):
    """Calls the author's code; what it raises becomes an OracleFailed with its place."""
    try:
        return call()
    except OracleFailed:
        raise
    except BaseException as error:
        described = "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()[-1]
        raise OracleFailed("%s: %s: %s" % (_place(error, file), what, described)) from None


def _place(error, file):
    """Where in the author's file it happened."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename.endswith("/" + file)]
    if isinstance(error, SyntaxError) and error.lineno:
        lines.append(error.lineno)
    return "tests/%s:%d" % (file, lines[-1]) if lines else "tests/" + file
