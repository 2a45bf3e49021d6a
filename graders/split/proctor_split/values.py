"""Subclasses of immutable built-ins: the value of the built-in within, and a local object of the mirror class around it."""

import datetime
from decimal import Decimal

_FULL = slice(None)
# tests may replace the names in the module datetime, and in every module that has them (freezegun does)
REAL = {"datetime": datetime.datetime, "date": datetime.date, "time": datetime.time, "timedelta": datetime.timedelta}

# each gives an object of exactly the built-in, whatever methods the subclass overrides
_PLAIN = {
    bool: lambda value: value,
    int: int.__int__,
    float: float.__float__,
    complex: complex.__pos__,
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, _FULL),
    tuple: lambda value: tuple.__getitem__(value, _FULL),
    frozenset: lambda value: frozenset.__or__(value, frozenset()),
    Decimal: lambda value: Decimal(value),
    datetime.datetime: lambda value: REAL["datetime"](*_fields(value), fold=value.fold),
    datetime.date: lambda value: REAL["date"](value.year, value.month, value.day),
    datetime.timedelta: lambda value: REAL["timedelta"](value.days, value.seconds, value.microseconds),
}

_MAKE = {
    datetime.datetime: lambda cls, value: REAL["datetime"].__new__(cls, *_fields(value), fold=value.fold),
    datetime.date: lambda cls, value: REAL["date"].__new__(cls, value.year, value.month, value.day),
    datetime.timedelta: lambda cls, value: REAL["timedelta"].__new__(cls, value.days, value.seconds, value.microseconds),
}

VALUE_BASES = tuple(_PLAIN)[1:]


def base_of(cls):
    """The immutable built-in that a class derives from, or None."""
    return next((base for base in VALUE_BASES if issubclass(cls, base)), None)


def plain(base, value):
    """The built-in value within."""
    return _PLAIN[base](value)


def make(base, cls, value):
    """An object of a mirror class with this value."""
    return _MAKE[base](cls, value) if base in _MAKE else base.__new__(cls, value)


def _fields(value):
    day = (value.year, value.month, value.day)
    return (*day, value.hour, value.minute, value.second, value.microsecond, value.tzinfo)
