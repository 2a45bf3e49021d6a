"""Values on the wire: JSON texts, truth values, finite floats and small whole numbers as themselves, all else a tagged list.

A value travels by value only when its type is exactly a known one; a subclass, and everything else, is a reference (see
refs.py). Reading makes plain values and mirrors only. What cannot be read is the sender's breach of the protocol.
"""

import datetime
import json
import math
import re
import sys
import uuid
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from pathlib import PosixPath, PurePosixPath, PureWindowsPath
from types import MappingProxyType

from . import arrays
from .names import find_global, global_name
from .shared import KINDS, replace_members
from .values import REAL

SMALL = 2**53
JSON_DIGITS = 64
_BOUNDED_BY_PYTHON = hasattr(sys, "get_int_max_str_digits")  # else reading many digits takes the square of their number
_EMPTY = {"l": list, "d": dict, "S": set, "B": bytearray, "od": OrderedDict, "ct": Counter, "dq": deque}
_PATHS = {"PosixPath": PosixPath, "PurePosixPath": PurePosixPath, "PureWindowsPath": PureWindowsPath}
_CONSTANTS = {"Ellipsis": Ellipsis, "NotImplemented": NotImplemented}
# so many keys must not all fall on few hash values, which would make a dict as slow as a list
FAIR_KEYS = 256
SAME_HASH = 64
# a pattern or a number that costs more to use than to write
DECIMAL_EXPONENT = 100_000
INTEGER_DIGITS = 250_000
FRACTION_DIGITS = 5_000


class Codec:
    """Both directions, over one table of shared containers and one of references."""

    def __init__(self, shared, refs):
        self.shared = shared
        self.refs = refs
        self.keep = True

    def encode(self, value):
        """The JSON form; raises Refused for what is not carried."""
        kind = type(value)
        if kind is str or kind is bool or value is None:
            return value
        if kind is int:
            return value if -SMALL < value < SMALL else ["i", format(value, "x")]
        if kind is float:
            return value if math.isfinite(value) else ["f", repr(value)]
        write = _WRITERS.get(kind)
        if write is not None and (kind is not re.Pattern or self.refs.peer.tests is not None):
            return write(self, value)
        if kind in KINDS:
            return self._container(kind, value)
        array = arrays.encode(value)
        if array is not None:
            return array
        named = global_name(value)
        if named is not None:
            return ["g", named[0], named[1]]
        return self.refs.encode(value)

    def is_value(self, value):
        """Whether a value's type is one of those that travel by value."""
        return (type(value) in _WRITERS and type(value) is not re.Pattern) or type(value) in KINDS

    def members(self, value, kind):
        """The encoded members of a container: a flat list of keys and values for a mapping."""
        encode = self.encode
        if kind is bytearray:
            return value.decode("latin-1")
        if kind in (list, deque):
            return [encode(item) for item in value]
        if kind is set:
            return [self.encode_key(item) for item in value]
        flat = []
        for key, item in dict.items(value):
            flat.append(self.encode_key(key))
            flat.append(encode(item))
        return flat

    def encode_key(self, value):
        """A key or member: a reference takes its hash along, so that reading it asks for nothing."""
        form = self.encode(value)
        if type(form) is list and form[0] == "h" and len(form) == 3:
            form.append(format(hash(value), "x"))
        return form

    def decode(self, form):
        """The value of a form. Raises ValueError, TypeError, LookupError or RecursionError on what is not one."""
        kind = type(form)
        if kind is not list:
            if kind is str or kind is int or kind is float or kind is bool or form is None:
                return form
            raise ValueError("not a form: %s" % kind.__name__)
        read = _READERS.get(form[0])
        if read is not None:
            return read(self, form)
        return self.refs.decode(form)

    def decode_members(self, value, forms):
        """Fills a container with members on the wire."""
        if type(value) is bytearray:
            members = forms.encode("latin-1")
        else:
            members = [self.decode(item) for item in forms]
            _fair(members if type(value) is set else members[::2], type(value))
        replace_members(value, members)

    def _container(self, kind, value):
        tag = KINDS[kind]
        if not self.keep:
            form = [tag, 0, self.members(value, kind)]
        else:
            number = self.shared.number_of(value)
            if number is not None:
                return ["@", number]
            form = [tag, self.shared.register(value), None]
            form[2] = self.members(value, kind)
        if kind is defaultdict:
            form.append(self.encode(value.default_factory))
        elif kind is deque:
            form.append(value.maxlen)
        return form


def dumps(message):
    """The bytes of a message: ASCII, so that no text can be unfit for it."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False, check_circular=False).encode("ascii")


def _whole_number(text):
    if len(text) > JSON_DIGITS:
        raise ValueError("a whole number of %d digits" % len(text))
    return int(text)


def loads(body):
    """A message's value; raises ValueError and RecursionError."""
    return json.loads(body, parse_int=None if _BOUNDED_BY_PYTHON else _whole_number)


def _fair(keys, kind):
    if kind in (list, deque) or len(keys) <= FAIR_KEYS:
        return
    if max(Counter(map(hash, keys)).values()) > SAME_HASH:
        raise ValueError("keys that all have the same hash")


def _write_datetime(codec, value):
    day = [value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond]
    return ["dt", day, codec.encode(value.tzinfo), value.fold]


def _write_time(codec, value):
    return ["ti", [value.hour, value.minute, value.second, value.microsecond], codec.encode(value.tzinfo), value.fold]


def _write_pattern(codec, value):
    return ["re", codec.encode(value.pattern), value.flags]


def _write_zone(codec, value):
    offset, *name = value.__getinitargs__()
    return ["tz", codec.encode(offset), *name]


_WRITERS = {
    tuple: lambda codec, value: ["t", [codec.encode(item) for item in value]],
    frozenset: lambda codec, value: ["Z", [codec.encode_key(item) for item in value]],
    bytes: lambda codec, value: ["b", value.decode("latin-1")],
    complex: lambda codec, value: ["c", codec.encode(value.real), codec.encode(value.imag)],
    range: lambda codec, value: ["rg", [codec.encode(part) for part in (value.start, value.stop, value.step)]],
    slice: lambda codec, value: ["sl", [codec.encode(part) for part in (value.start, value.stop, value.step)]],
    Decimal: lambda codec, value: ["D", str(value)],
    Fraction: lambda codec, value: ["q", codec.encode(value.numerator), codec.encode(value.denominator)],
    datetime.date: lambda codec, value: ["da", [value.year, value.month, value.day]],
    datetime.datetime: _write_datetime,
    datetime.time: _write_time,
    datetime.timedelta: lambda codec, value: ["td", [value.days, value.seconds, value.microseconds]],
    datetime.timezone: _write_zone,
    uuid.UUID: lambda codec, value: ["u", value.hex],
    MappingProxyType: lambda codec, value: ["mp", codec.members(dict(value), dict)],
    re.Pattern: _write_pattern,
    type(Ellipsis): lambda codec, value: ["k", "Ellipsis"],
    type(NotImplemented): lambda codec, value: ["k", "NotImplemented"],
    **{cls: (lambda name: lambda codec, value: ["p", name, str(value)])(name) for name, cls in _PATHS.items()},
}


def _read_container(codec, form):
    tag, number, forms = form[:3]
    if tag == "dd":
        factory = codec.decode(form[3])
        if factory is not None and not callable(factory):
            raise ValueError("a default that cannot be called")
        value = defaultdict(factory)
    elif tag == "dq":
        value = deque(maxlen=form[3])
    else:
        value = _EMPTY[tag]()
    if number:
        if type(number) is not int:
            raise ValueError("a container's number")
        codec.shared.register(value, number)
    codec.decode_members(value, forms)
    return value


def _read_datetime(codec, form):
    return REAL["datetime"](*form[1], tzinfo=codec.decode(form[2]), fold=form[3])


def _read_frozen(codec, form):
    members = [codec.decode(item) for item in form[1]]
    _fair(members, frozenset)
    return frozenset(members)


def _read_proxy(codec, form):
    value = {}
    codec.decode_members(value, form[1])
    return MappingProxyType(value)


def _read_global(codec, form):
    value = find_global(form[1], form[2])
    if value is None:
        raise ValueError("%.100r does not travel by name" % (form[1:3],))
    return value


def _read_pattern(codec, form):
    if codec.refs.peer.tests is not None:
        raise ValueError("a pattern of the candidate's is not compiled here")
    return re.compile(codec.decode(form[1]), form[2])


def _read_integer(codec, form):
    if len(form[1]) > INTEGER_DIGITS:
        raise ValueError("a whole number of %d digits" % len(form[1]))
    return int(form[1], 16)


def _read_fraction(codec, form):
    parts = form[1:3]
    if any(type(part) is list and len(part[1]) > FRACTION_DIGITS for part in parts):
        raise ValueError("a fraction out of bounds")
    return Fraction(codec.decode(parts[0]), codec.decode(parts[1]))


def _read_decimal(codec, form):
    value = Decimal(form[1])
    if value.is_finite() and abs(value.adjusted()) > DECIMAL_EXPONENT:
        raise ValueError("a decimal number out of bounds")
    return value


def _read_float(codec, form):
    value = float(form[1])
    if math.isfinite(value):
        raise ValueError("a finite float is not tagged")
    return value


_READERS = {
    "i": _read_integer,
    "f": _read_float,
    "t": lambda codec, form: tuple([codec.decode(item) for item in form[1]]),
    "Z": _read_frozen,
    "b": lambda codec, form: form[1].encode("latin-1"),
    "c": lambda codec, form: complex(codec.decode(form[1]), codec.decode(form[2])),
    "rg": lambda codec, form: range(*[codec.decode(part) for part in form[1]]),
    "sl": lambda codec, form: slice(*[codec.decode(part) for part in form[1]]),
    "D": _read_decimal,
    "q": _read_fraction,
    "da": lambda codec, form: REAL["date"](*form[1]),
    "dt": _read_datetime,
    "ti": lambda codec, form: REAL["time"](*form[1], tzinfo=codec.decode(form[2]), fold=form[3]),
    "td": lambda codec, form: REAL["timedelta"](*form[1]),
    "tz": lambda codec, form: datetime.timezone(codec.decode(form[1]), *form[2:3]),
    "u": lambda codec, form: uuid.UUID(hex=form[1]),
    "mp": _read_proxy,
    "re": _read_pattern,
    "k": lambda codec, form: _CONSTANTS[form[1]],
    "p": lambda codec, form: _PATHS[form[1]](form[2]),
    "g": _read_global,
    "@": lambda codec, form: codec.shared.find(form[1]),
    "np": lambda codec, form: arrays.decode(form),
    **{tag: _read_container for tag in KINDS.values()},
}
