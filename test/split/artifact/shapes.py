"""An artifact with one of everything that a hidden suite may use."""

import asyncio
import collections
import contextlib
import dataclasses
import datetime
import enum
import logging
import os
import sys
import time
import warnings
from collections import OrderedDict, namedtuple
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

VERSION = (1, 2, 3)
SENTINEL = object()
REGISTRY = {}


class ShapeError(ValueError):
    """Raised for bad shapes."""

    def __init__(self, message, code=0):
        super().__init__(message)
        self.code = code


class NestedError(ShapeError):
    pass


def add(a, b=1, *, scale=1):
    """Adds."""
    return (a + b) * scale


def echo(value):
    return value


def same_list(values):
    return values


def append_to(item, values=[]):
    values.append(item)
    return values


def sort_in_place(values):
    values.sort()


class Keeper:
    def __init__(self):
        self.held = [1, {"a": [2]}]

    def give(self):
        return self.held

    def grow(self):
        self.held.append(3)
        self.held[1]["a"].append(4)


@dataclasses.dataclass(frozen=True, order=True)
class Point:
    x: int
    y: int = 0

    def moved(self, dx):
        return dataclasses.replace(self, x=self.x + dx)


@dataclasses.dataclass
class Box:
    items: list = dataclasses.field(default_factory=list)


class Color(enum.Enum):
    RED = 1
    GREEN = 2

    @property
    def shout(self):
        return self.name + "!"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 10


Pair = namedtuple("Pair", "left right")


class Shape:
    count = 0
    sides = 0

    def __init__(self, name):
        self.name = name
        self._log = []

    def area(self):
        raise NotImplementedError

    def describe(self):
        return "%s of area %s" % (self.name, self.area())

    @property
    def title(self):
        return self.name.title()

    @title.setter
    def title(self, value):
        self.name = value.lower()

    @classmethod
    def make(cls, *args):
        return cls(*args)

    @staticmethod
    def twice(x):
        return 2 * x

    def __repr__(self):
        return "<Shape %s>" % self.name


class Square(Shape):
    sides = 4

    def __init__(self, side):
        super().__init__("square")
        self.side = side

    def area(self):
        return self.side**2

    def __eq__(self, other):
        return isinstance(other, Square) and self.side == other.side

    def __lt__(self, other):
        return self.side < other.side

    def __hash__(self):
        return hash(self.side)

    def __add__(self, other):
        if not isinstance(other, Square):
            return NotImplemented
        return Square(self.side + other.side)

    def __len__(self):
        return 4

    def __bool__(self):
        return self.side > 0


class Bag(collections.abc.MutableMapping):
    def __init__(self, *args, **kwargs):
        self._d = dict(*args, **kwargs)

    def __getitem__(self, key):
        return self._d[key]

    def __setitem__(self, key, value):
        self._d[key] = value

    def __delitem__(self, key):
        del self._d[key]

    def __iter__(self):
        return iter(self._d)

    def __len__(self):
        return len(self._d)


class LoudDict(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


class LoudStr(str):
    def __eq__(self, other):
        return True

    __hash__ = str.__hash__

    def shout(self):
        return self.upper()


class Temperature(float):
    pass


def countdown(n):
    while n:
        yield n
        n -= 1
    return "done"


def naturals():
    n = 0
    while True:
        yield n
        n += 1


def apply(function, *args, **kwargs):
    return function(*args, **kwargs)


def map_all(function, items):
    return [function(item) for item in items]


def catching(function):
    try:
        function()
    except ShapeError as error:
        return "shape %s" % error
    except ValueError as error:
        return "value %s" % error
    except Exception as error:
        return type(error).__name__


def make_counter():
    count = 0

    def counter():
        nonlocal count
        count += 1
        return count

    return counter


@contextlib.contextmanager
def managed(log):
    log.append("in")
    try:
        yield "managed"
    finally:
        log.append("out")


class Guard:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.seen = kind.__name__ if kind else None
        return kind is KeyError


async def slow_add(a, b):
    await asyncio.sleep(0.001)
    return a + b


async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


async def call_async(function, value):
    return await function(value)


def fail(kind="shape", code=7):
    if kind == "shape":
        raise ShapeError("bad shape", code)
    if kind == "nested":
        try:
            raise KeyError("inner")
        except KeyError as error:
            raise NestedError("outer", 1) from error
    if kind == "key":
        raise KeyError("missing")
    if kind == "exit":
        sys.exit(code)
    if kind == "os":
        raise FileNotFoundError(2, "No such file or directory", "/nowhere")
    if kind == "unicode":
        b"\xff".decode("utf-8")
    raise RuntimeError(kind)


def talk():
    print("hello from the artifact")
    print("a complaint", file=sys.stderr)
    logging.getLogger("shapes").warning("logged %d", 5)
    warnings.warn("old", DeprecationWarning, stacklevel=2)
    return True


def now():
    return time.time()


def home():
    return os.environ.get("SHAPES_HOME"), os.getcwd()


def save(path, text):
    Path(path).write_text(text)


def load(path):
    return open(path).read()


def helper():
    return "real helper"


def uses_helper():
    return helper()


def money():
    return {"price": Decimal("1.10"), "share": Fraction(1, 3), "when": datetime.datetime(2024, 2, 29, 12, 30)}


def ordered():
    return OrderedDict([("b", 1), ("a", 2)])


class Plugin:
    known = []

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Plugin.known.append(cls.__name__)

    def run(self):
        return self.step() + 1

    def step(self):
        return 0


class Child(Exception):
    pass


class Visitor:
    def visit(self, node):
        method = getattr(self, "visit_" + type(node).__name__, self.generic)
        return method(node)

    def generic(self, node):
        return "generic"


def ask():
    return input("name? ")


if __name__ == "__main__":
    print("main", sys.argv[1:])
