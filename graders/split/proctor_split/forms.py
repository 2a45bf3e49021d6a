"""The forms of values that travel by value: a writer for each exact type, a reader for each tag."""

import datetime
import math
import re
import uuid
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from pathlib import PosixPath, PurePosixPath, PureWindowsPath
from types import MappingProxyType

from . import arrays
from .names import find_global
from .shared import KINDS
from .values import REAL

_EMPTY = {"l": list, "d": dict, "S": set, "B": bytearray, "od": OrderedDict, "ct": Counter, "dq": deque}
_PATHS = {"PosixPath": PosixPath, "PurePosixPath": PurePosixPath, "PureWindowsPath": PureWindowsPath}
_CONSTANTS = {"Ellipsis": Ellipsis, "NotImplemented": NotImplemented}
# so many keys must not all fall on few hash values, which would make a dict as slow as a list
FAIR_KEYS = 256
SAME_HASH = 64
# numbers that cost more to use than to write
DECIMAL_EXPONENT = 100_000
INTEGER_DIGITS = 250_000
FRACTION_DIGITS = 5_000


def fair(keys, kind):
    """Refuses keys that would make a dict or set as slow as a list."""
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


WRITERS = {
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
    fair(members, frozenset)
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


READERS = {
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
