"""Cases for Python functions: plain arguments in, a plain value or an exception out, compared by exact type and value."""

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
    unknown = set(case) - KEYS
    if unknown:
        raise ValueError("unknown key %s in a case; known: %s" % (sorted(unknown)[0], ", ".join(sorted(KEYS))))
    request = {
        "function": case.get("function"),
        "args": values.encode(list(case.get("args", []))),
        "kwargs": values.encode(dict(case.get("kwargs", {}))),
    }
    if not isinstance(expected, Raises):
        plain = expected.value if isinstance(expected, Approx) else expected
        if not values.same(plain, values.decode(values.encode(plain))):
            raise TypeError("expected() must return plain values, Approx or Raises")
    return FunctionCase(case_id, request, lambda answer: _judge(expected, check, answer))


def _judge(expected, check, answer):
    if isinstance(expected, Raises):
        return _judge_raised(expected, answer)
    if "raised" in answer:
        return False, "raised %s: %.300s" % (_name(answer["raised"]["classes"]), answer["raised"]["message"])
    try:
        given = values.decode(answer["value"])
    except values.NotPlain as error:
        return False, "the answer is not a plain value: %s" % error
    if check is not None:
        ruling = check(given)
        return (True, "") if ruling is True else (False, "check: %s" % (ruling or "refused"))
    plain, tolerance = (expected.value, expected.tolerance) if isinstance(expected, Approx) else (expected, 0.0)
    if values.same(plain, given, tolerance):
        return True, ""
    return False, "expected %.300r, got %.300r" % (plain, given)


def _judge_raised(expected, answer):
    if "raised" not in answer:
        return False, "no exception where %s is right" % expected.class_name
    names = [name.rsplit(".", 1)[-1] for name in answer["raised"]["classes"]]
    if expected.class_name in names:
        return True, ""
    return False, "raised %s where %s is right" % (_name(names), expected.class_name)


def _name(classes):
    return str(classes[0]) if classes else "nothing"
