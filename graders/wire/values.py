"""Plain Python values on the wire, by exact type.

A value is a JSON list whose first item is a tag:

    ["n"] None   ["T"] True   ["F"] False   ["i", "-1f"] int, hexadecimal   ["f", "0x1.8p+0"] float, float.hex()
    ["s", "text"] str   ["b", "base64"] bytes   ["l", [...]] list   ["t", [...]] tuple
    ["S", [...]] set   ["Z", [...]] frozenset   ["d", [[key, value], ...]] dict   ["o", "module.Class"] anything else

"Exact" means `type(x) is int`: a subclass that overrides `__eq__` arrives as ["o", ...] and equals nothing.
No class of the candidate's is ever made on the reading side.
"""

import base64
import math

MAX_DEPTH = 64
MAX_NODES = 200_000


class NotPlain(ValueError):
    """The text on the wire is not a value of this format, or is larger than the bounds."""


def encode(value, _depth=0, _budget=None):
    """The tagged form of `value`; raises NotPlain when it is deeper or larger than the bounds."""
    budget = _spend(_depth, _budget)
    kind = type(value)
    if value is None:
        return ["n"]
    if kind is bool:
        return ["T"] if value else ["F"]
    if kind is int:
        return ["i", format(value, "x")]
    if kind is float:
        return ["f", value.hex()]
    if kind is str:
        return ["s", value]
    if kind is bytes:
        return ["b", base64.b64encode(value).decode("ascii")]
    if kind in _SEQUENCE_TAGS:
        return [_SEQUENCE_TAGS[kind], [encode(item, _depth + 1, budget) for item in list(value)]]
    if kind is dict:
        pairs = [[encode(k, _depth + 1, budget), encode(v, _depth + 1, budget)] for k, v in list(value.items())]
        return ["d", pairs]
    return ["o", _class_name(kind)]


def decode(form, _depth=0, _budget=None):
    """The value of a tagged form. Raises NotPlain on anything that is not one; ["o", ...] becomes a Foreign."""
    budget = _spend(_depth, _budget)
    if type(form) is not list or not form or type(form[0]) is not str:
        raise NotPlain("a value must be a tagged list")
    tag = form[0]
    if tag in _CONSTANTS and len(form) == 1:
        return _CONSTANTS[tag]
    if len(form) != 2:
        raise NotPlain("tag %r takes one item" % tag[:20])
    body = form[1]
    if tag in _SCALARS:
        return _scalar(tag, body)
    if tag in _BUILDERS and type(body) is list:
        items = [decode(item, _depth + 1, budget) for item in body]
        return _hashed(_BUILDERS[tag], items)
    if tag == "d" and type(body) is list:
        return _hashed(dict, [_pair(pair, _depth, budget) for pair in body])
    raise NotPlain("unknown tag %r" % tag[:20])


class Foreign:
    """Stands for an object that did not travel; equal to nothing, not even to itself."""

    __slots__ = ("class_name",)
    __hash__ = None

    def __init__(self, class_name):
        self.class_name = class_name

    def __eq__(self, other):
        return False

    def __repr__(self):
        return "<object of %s>" % self.class_name


def same(expected, given, tolerance=0.0):
    """Whether two plain values are equal by exact type and value; floats within `tolerance`, NaN equal to NaN."""
    if type(expected) is not type(given):
        return False
    if type(expected) is float:
        return _same_float(expected, given, tolerance)
    if type(expected) in (list, tuple):
        return len(expected) == len(given) and all(same(a, b, tolerance) for a, b in zip(expected, given))
    if type(expected) is dict:
        return _same_dict(expected, given, tolerance)
    if type(expected) in (set, frozenset):
        return sorted(map(_typed, expected)) == sorted(map(_typed, given))
    return expected == given


def _same_float(expected, given, tolerance):
    if math.isnan(expected) or math.isnan(given):
        return math.isnan(expected) and math.isnan(given)
    if expected == given:
        return True
    if math.isinf(expected) or math.isinf(given):
        return False
    return abs(expected - given) <= tolerance * max(1.0, abs(expected))


def _same_dict(expected, given, tolerance):
    if len(expected) != len(given):
        return False
    by_key = {_typed(key): value for key, value in given.items()}
    return all(
        _typed(key) in by_key and same(value, by_key[_typed(key)], tolerance) for key, value in expected.items()
    )


def _typed(value):
    """A text that is equal just when two keys or members are the same by exact type and value, whatever their order."""
    kind = type(value)
    if kind in (set, frozenset):
        return "%s%r" % (_SEQUENCE_TAGS[kind], sorted(map(_typed, value)))
    if kind is tuple:
        return "t%r" % [_typed(item) for item in value]
    if kind is float and value == 0:
        return "f0"
    return repr(encode(value))


def _scalar(tag, body):
    if type(body) is not str:
        raise NotPlain("tag %r takes a text" % tag)
    try:
        return _SCALARS[tag](body)
    except (ValueError, OverflowError) as error:
        raise NotPlain(str(error)[:200]) from None


def _pair(pair, depth, budget):
    if type(pair) is not list or len(pair) != 2:
        raise NotPlain("a dict holds pairs")
    return decode(pair[0], depth + 1, budget), decode(pair[1], depth + 1, budget)


def _hashed(build, items):
    try:
        return build(items)
    except TypeError:
        raise NotPlain("a key or member that cannot be hashed") from None


def _spend(depth, budget):
    budget = budget if budget is not None else [MAX_NODES]
    budget[0] -= 1
    if depth > MAX_DEPTH or budget[0] < 0:
        raise NotPlain("deeper than %d or larger than %d values" % (MAX_DEPTH, MAX_NODES))
    return budget


def _class_name(kind):
    try:
        return ("%s.%s" % (type.__getattribute__(kind, "__module__"), type.__getattribute__(kind, "__name__")))[:200]
    except Exception:
        return "unknown"


_CONSTANTS = {"n": None, "T": True, "F": False}
_SEQUENCE_TAGS = {list: "l", tuple: "t", set: "S", frozenset: "Z"}
_BUILDERS = {"l": list, "t": tuple, "S": set, "Z": frozenset}
_SCALARS = {
    "i": lambda body: int(body, 16),
    "f": float.fromhex,
    "s": str,
    "b": lambda body: base64.b64decode(body, validate=True),
    "o": lambda body: Foreign(body[:200]),
}
