"""Cases for programs: arguments, standard input and files in; standard output or one file, and the exit code, out."""

import base64
import math

from proctor_oracle import Output

COMPARISONS = ("exact", "lines", "tokens", "numeric", "check")
MAX_ARGUMENT_BYTES = 64 * 1024
KEYS = {"args", "stdin", "files", "output", "compare", "tolerance", "data"}


class StdioCase:
    """One case with what is right about it; `request` is what may leave the examiner."""

    def __init__(self, case_id, request, judge):
        self.id = case_id
        self.request = request
        self.judge = judge


def make_case(case_id, case, right):
    """A case of tests/oracle.py made ready; raises ValueError or TypeError with what is wrong in it."""
    expected, check = right
    compare = case.get("compare", "check" if check else "lines")
    if compare not in COMPARISONS:
        raise ValueError("compare must be one of %s" % ", ".join(COMPARISONS))
    if compare == "check" and check is None:
        raise ValueError('compare = "check" needs check() in tests/oracle.py')
    if not isinstance(expected, (str, bytes, Output)):
        raise TypeError("expected() must return a text, bytes or Output, not %s" % type(expected).__name__)
    wanted = expected if isinstance(expected, Output) else Output(expected)
    _refuse_unusable(case)
    request = {
        "args": [str(item) for item in case.get("args", [])],
        "stdin": _base64(case.get("stdin", "")),
        "files": {name: _base64(text) for name, text in case.get("files", {}).items()},
        "output": case.get("output"),
    }
    tolerance = float(case.get("tolerance", 1e-9))
    return StdioCase(case_id, request, lambda answer, body: _judge((wanted, compare, tolerance, check), answer, body))


def _refuse_unusable(case):
    """What no program could be given is the task's fault and must be told before anybody is graded on it."""
    for item in case.get("args", []):
        if "\0" in str(item) or len(str(item).encode("utf-8", "surrogatepass")) > MAX_ARGUMENT_BYTES:
            raise ValueError("an argument holds NUL or is longer than %d bytes" % MAX_ARGUMENT_BYTES)
    names = list(case.get("files", {})) + ([] if case.get("output") is None else [case["output"]])
    for name in names:
        parts = name.split("/") if type(name) is str else [""]
        if "\0" in parts[-1] or any(part in ("", ".", "..") or len(part.encode()) > 255 for part in parts):
            raise ValueError("%r is not a path beneath the work folder" % (name,))


def _judge(right, answer, given):
    wanted, compare, tolerance, check = right
    if answer["exitCode"] != wanted.exit:
        return False, "exit code %d where %d is right" % (answer["exitCode"], wanted.exit)
    if not answer["hasOutput"]:
        return False, "the output file is missing"
    if compare == "check":
        ruling = check(given.decode("utf-8", "replace"))
        return (True, "") if ruling is True else (False, "check: %s" % (ruling or "refused"))
    expected = wanted.text if isinstance(wanted.text, bytes) else wanted.text.encode("utf-8")
    if same_output(compare, (expected, given), tolerance):
        return True, ""
    return False, "expected %.300r, got %.300r" % (expected, given)


def same_output(compare, outputs, tolerance):
    """Whether (expected, given) bytes agree under a comparison's rule."""
    expected, given = outputs
    if compare == "exact":
        return expected == given
    if compare == "lines":
        return _lines(expected) == _lines(given)
    if compare == "tokens":
        return expected.split() == given.split()
    return _same_numbers(expected.split(), given.split(), tolerance)


def _same_numbers(expected, given, tolerance):
    if len(expected) != len(given):
        return False
    return all(a == b or _close(a, b, tolerance) for a, b in zip(expected, given))


def _close(expected, given, tolerance):
    if len(given) > 400 or b"_" in given:
        return False
    try:
        right, number = float(expected), float(given)
    except ValueError:
        return False
    if not (math.isfinite(right) and math.isfinite(number)):
        return False
    return abs(right - number) <= tolerance * max(1.0, abs(right))


def _lines(text):
    lines = [line.rstrip() for line in text.split(b"\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _base64(text):
    raw = text if isinstance(text, bytes) else text.encode("utf-8")
    return base64.b64encode(raw).decode("ascii")
