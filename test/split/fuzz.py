"""Fuzzes the examiner's half of the split with a hostile counterpart.

    python3 fuzz.py --frames 1000000 --seed 1 [--jobs 2] [--bound 2.0]

Each worker drives one ExaminerPeer over a pair of pipes. Whenever the examiner waits for the candidate, the counterpart
reads what it said and gives the next hostile frame. Prints progress on standard error and one JSON summary; the exit code
is 1 when anything but "goes on", "lost" or "an exception as data" came of a frame. Standard library only.
"""

import argparse
import ast
import collections
import copy
import faulthandler
import io
import json
import os
import pickle
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
GRADERS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "graders")
MEMORY_BYTES = 900 * 1024 * 1024
HANG_SECONDS = 60
MARK = "marker-%s" % "7f3a91c2"

HIDDEN_SOURCE = '''
"""A hidden test module: nothing that holds the marker may be seen from the other side, unless it is handed over."""
import functools, io, unittest
from unittest import mock

SECRET = "{mark}-global"
CALLS = []

def forbidden(*args, **keywords):
    CALLS.append(args)
    return "{mark}-forbidden"

class Expectation:
    value = "{mark}-class"
    def __init__(self):
        self.held = "{mark}-instance"

KEPT = Expectation()

def make_callback(hidden):
    def callback(value=None, default="{mark}-default", *, keyword="{mark}-keyword"):
        local = "{mark}-local"
        return value if hidden and local else None
    return callback

def numbers():
    local = "{mark}-frame"
    for number in range(3):
        yield number
    yield len(local)

async def coroutine():
    local = "{mark}-coroutine"
    return len(local)

class Fake:
    """Handed over: everything of it is the candidate's to use."""
    kind = "fake"
    def __init__(self):
        self.rows = [1, 2]
        self.name = "fake"
    def save(self, row=None):
        self.rows.append(row)
        return len(self.rows)
    @property
    def count(self):
        return len(self.rows)
    @classmethod
    def make(cls):
        return cls()
    @staticmethod
    def twice(x=1):
        return x
    def __eq__(self, other):
        return isinstance(other, Fake)
    __hash__ = object.__hash__
    def __iter__(self):
        return iter(self.rows)
    def __len__(self):
        return len(self.rows)

class Number(int):
    pass

class Case(unittest.TestCase):
    def runTest(self):
        pass
    def listen(self, *args):
        return None

def error():
    try:
        local = "{mark}-traceback"
        raise ValueError("handed over", len(local))
    except ValueError as caught:
        return caught

def hand_over():
    case = Case()
    case.expected = "{mark}-case"
    return [make_callback("{mark}-closure"), Fake(), Fake, numbers(), case.listen, case, mock.Mock(), mock.MagicMock(), error(),
            functools.partial(make_callback("{mark}-closure"), 1), io.StringIO("text"), lambda *a, **k: a, Number(5), [1, [2]],
            {{"k": {{1, 2}}}}, Fake().save, object(), iter([1, 2]), print, len, coroutine()]
'''

NAMES = (
    "__class__ __reduce__ __reduce_ex__ __globals__ __closure__ __defaults__ __kwdefaults__ __code__ __dict__ __bases__ __base__ __mro__ mro "
    "__subclasses__ __init__ __new__ __call__ __eq__ __ne__ __hash__ __lt__ __repr__ __str__ __format__ __getattribute__ __getattr__ "
    "__setattr__ __delattr__ __del__ __init_subclass__ __set_name__ __get__ __set__ __delete__ __iter__ __next__ __len__ __contains__ "
    "__getitem__ __setitem__ __bool__ __index__ __int__ __float__ __sub__ __rsub__ __add__ __radd__ __enter__ __exit__ __await__ "
    "__aiter__ __anext__ __instancecheck__ __subclasscheck__ __prepare__ __mro_entries__ __slots__ __weakref__ __doc__ __module__ "
    "__qualname__ __name__ __self__ __func__ __wrapped__ __traceback__ __context__ __cause__ __builtins__ __annotations__ __all__ "
    "__dataclass_fields__ __copy__ __deepcopy__ __getstate__ __class_getitem__ __abstractmethods__ __isabstractmethod__ __sizeof__ "
    "__proctor_class__ gi_frame gi_code gi_yieldfrom cr_frame f_back f_locals f_globals tb_frame tb_next with_traceback skipTest fail "
    "addCleanup doCleanups debug run format format_map get_field read_text write_text register cache_clear send throw close rows name save "
    "count make twice kind held value expected listen called call_args assert_called_once_with return_value side_effect _mock_parent "
    "mock_calls configure_mock method_calls write read getvalue func args keywords x y pytestmark __test__ _pytestfixturefunction "
    "append clear update pop popitem items keys values _ref _told epoch peer manager root handlers system a b c"
).split()
TEXTS = ["", "a", "k", "0", "\x00", "\ud800", "\udcff", "nan", "inf", "-inf", "Infinity", "1e9999", "x" * 300, "..", "../x", "/etc/x", "a/b", "🎈",
         "{0.__globals__}", "{0.__class__}", "%s", "ffffffffffffffffffffffff", "-ff", "0x1_0", "b'x'", "Exception", "solution"]
MODULES = ["builtins", "collections", "collections.abc", "functools", "operator", "logging", "string", "argparse", "pathlib", "enum", "types",
           "typing", "numbers", "threading", "io", "itertools", "os", "sys", "pickle", "json", "subprocess", "warnings", "re", "datetime", "", "x\x00"]
GLOBALS = ["object", "type", "int", "str", "list", "dict", "map", "filter", "property", "classmethod", "staticmethod", "partial", "reduce", "getitem",
           "sorted", "hash", "sum", "Handler", "Logger", "Formatter", "ArgumentParser", "Path", "PosixPath", "Enum", "SimpleNamespace", "Mapping", "Real",
           "Integral", "Thread", "StringIO", "count", "repeat", "PathLike", "Exception", "ValueError", "StopIteration", "SystemExit", "GeneratorExit",
           "KeyboardInterrupt", "BaseException", "BaseExceptionGroup", "OSError", "UnicodeDecodeError", "system", "PicklingError", "JSONDecodeError",
           "CalledProcessError", "UserWarning", "DeprecationWarning", "Warning", "AssertionError", "MemoryError", "RecursionError", "tzinfo", "timezone",
           "Counter", "defaultdict", "namedtuple", "Generic", "CodeType", "ModuleType", "FunctionType", "UUID", "Decimal", "eval", "open", "loads"]
OPERATIONS = {
    "call": "tAK", "meth": "tnAK", "get": "tn", "set": "tnv", "del": "tn", "from": "cnBK", "fromclass": "cncAK", "getfrom": "cnt", "hash": "t",
    "next": "ti", "run": "t", "dir": "t", "signature": "t", "code": "t", "tm": "cnA", "warn": "vgvi", "log": "viviviv", "import": "n", "find": "nn",
    "derive": "nvAKK", "unpickle": "v", "pickle": "ti", "copy": "t", "patch": "nvvv", "environment": "nv", "raw": "tn", "public": "t", "nothing": "v",
    "reload": "t", "original": "nv", "state": "nv",
}
BAD_NUMBERS = [0, -1, -7, 2**31, 2**63, 2**200, 1.5, "1", None, True, [], ["l", 0, []], {}]
PATHS = ["a", "d", "d/e", "d/e/f", "..", "../x", "/x", "a/../../x", "d//e", ".", "", "a\x00", "\ud800", "d/" * 30 + "e", "n" * 300, "-", " "]

BASES = {
    "o": [["g", "collections.abc", "Mapping"], ["g", "numbers", "Real"], ["g", "datetime", "tzinfo"]],
    "v": [["g", "builtins", base] for base in ("int", "str", "tuple", "float", "bytes", "frozenset")],
    "x": [["g", "builtins", base] for base in ("Exception", "ValueError", "OSError", "StopIteration", "SystemExit", "BaseException")],
}
MAKERS = {
    "t": lambda c: c.target(), "n": lambda c: c.name(), "v": lambda c: c.form(2), "g": lambda c: c.named(), "i": lambda c: c.rng.choice([1, 2, 5, 10**9, -1, "x", 1.5]),
    "c": lambda c: c.target() if c.rng.random() < 0.6 else c.named() if c.rng.random() < 0.5 else c.class_form(),
    "A": lambda c: ["t", [c.form(2) for _ in range(c.rng.randrange(3))]] if c.rng.random() < 0.95 else c.form(2),
    "B": lambda c: ["t", [c.target(), *[c.form(2) for _ in range(c.rng.randrange(2))]]] if c.rng.random() < 0.95 else c.form(2),
    "K": lambda c: ["d", 0, []] if c.rng.random() < 0.8 else ["d", 0, [c.name(), c.form(1)]],
}
# one maker for each tag of the wire: (counterpart, depth of what is within)
FORMS = [
    lambda c, d: ["h", c.number(), c.class_form()], lambda c, d: ["h", c.number(), c.class_form()],
    lambda c, d: ["h", c.number(), c.class_form(), c.rng.choice(["5", "-1", "zz", 5, "f" * 40])],
    lambda c, d: ["v", c.number(), c.class_form(), c.scalar()],
    lambda c, d: ["F", c.number(), [c.rng.choice(NAMES), c.rng.choice(NAMES), "solution", None, c.rng.choice("fc")]], lambda c, d: ["F", c.number(), c.many(d)],
    lambda c, d: ["M", c.number(), c.rng.choice(MODULES)], lambda c, d: ["co", c.number(), c.rng.choice(TEXTS)], lambda c, d: c.exception(1),
    lambda c, d: ["ru", c.any_shown(), c.many(d)], lambda c, d: ["cm", c.any_shown(), c.name()],
    lambda c, d: ["bm", c.target() if c.rng.random() < 0.8 else ["bm", c.target(), c.name()], c.name()], lambda c, d: c.class_form(),
    lambda c, d: ["l", c.shared_number(), c.many(d)], lambda c, d: ["t", c.many(d)], lambda c, d: ["S", c.shared_number(), c.many(d)], lambda c, d: ["Z", c.many(d)],
    lambda c, d: ["d", c.shared_number(), c.pairs(d)], lambda c, d: ["od", c.shared_number(), c.pairs(d)], lambda c, d: ["ct", c.shared_number(), c.pairs(d)],
    lambda c, d: ["dd", c.shared_number(), c.pairs(d), c.rng.choice([None, ["g", "builtins", "list"], 5, ["r", 1]])],
    lambda c, d: ["dq", c.shared_number(), c.many(d), c.rng.choice([None, 0, 2, -1, "x", 2**70])], lambda c, d: ["B", c.shared_number(), c.rng.choice(TEXTS)],
    lambda c, d: ["b", c.rng.choice(TEXTS)], lambda c, d: ["@", c.shared_number()], lambda c, d: ["i", c.rng.choice(["ff", "-1", "", "zz", "f" * 900, 5])],
    lambda c, d: ["f", c.rng.choice(["nan", "inf", "-inf", "1.5", "x", 1])], lambda c, d: ["c", c.scalar(), c.scalar()],
    lambda c, d: ["rg", [c.scalar() for _ in range(c.rng.randrange(5))]], lambda c, d: ["sl", c.many(d)],
    lambda c, d: ["D", c.rng.choice(["1.5", "NaN", "sNaN", "Infinity", "1e99999", "1e999999", "-0", "x", 3])], lambda c, d: ["q", c.rng.randint(-3, 3), c.rng.randint(-1, 3)],
    lambda c, d: ["da", [c.rng.randint(-1, 3000), c.rng.randint(0, 13), c.rng.randint(0, 32)]],
    lambda c, d: ["dt", [c.rng.randint(1, 3000), 1, 1, 1, 1, 1, c.rng.randint(0, 5)], c.form(1), c.rng.choice([0, 1, 2])],
    lambda c, d: ["ti", [1, 2, 3, c.rng.randint(-1, 5)], c.form(1), 0], lambda c, d: ["td", [c.rng.choice([0, 1, 10**9, 10**12, 1.5, "x"]), 0, 0]],
    lambda c, d: ["tz", c.form(1), c.rng.choice(TEXTS)], lambda c, d: ["u", c.rng.choice(["0" * 32, "x", "f" * 33])], lambda c, d: ["mp", c.pairs(d)],
    lambda c, d: ["re", c.rng.choice(["a", "(", "a" * 11_000, "(?i)[\x00-\uffff]", ["b", "a"], "(a*)*"]), c.rng.choice([0, 2, 32, 2**40, "x"])],
    lambda c, d: ["k", c.rng.choice(["Ellipsis", "NotImplemented", "x"])],
    lambda c, d: ["p", c.rng.choice(["PosixPath", "PurePosixPath", "PureWindowsPath", "Path"]), c.rng.choice(TEXTS)], lambda c, d: c.named(), lambda c, d: c.named(),
    lambda c, d: [c.rng.choice(TEXTS), *c.many(d)], lambda c, d: ["np", c.rng.choice(["<i8", "O", "<f4", "V8"]), c.rng.choice([None, [1], [2**40], [-1]]), c.rng.choice(TEXTS)],
]

TAME_FORMS = [
    lambda c, d: ["h", c.number(), c.tame_class("o")], lambda c, d: ["h", c.number(), c.tame_class("o")], lambda c, d: ["h", c.number(), c.tame_class("o"), "5"],
    lambda c, d: c.tame_value(), lambda c, d: c.tame_class("oovx"), lambda c, d: ["F", c.number(), ["f", "f", "solution", None, "f"]],
    lambda c, d: ["co", c.number(), "coroutine"], lambda c, d: c.exception(), lambda c, d: ["ru", c.any_shown(), c.many(d)] if c.shown else 1,
    lambda c, d: ["bm", ["r", c.any_shown()], c.name()] if c.shown else 1, lambda c, d: ["l", 0, c.many(d)], lambda c, d: ["l", c.fresh(), c.many(d)], lambda c, d: ["t", c.many(d)],
    lambda c, d: ["d", c.fresh(), ["k", c.form(d)]], lambda c, d: ["S", 0, [1, 2]], lambda c, d: ["ct", 0, ["a", 2]], lambda c, d: ["dq", c.fresh(), c.many(d), None],
    lambda c, d: ["dd", c.fresh(), [], ["F", c.number(), ["f", "f", "solution", None, "f"]]], lambda c, d: ["D", "1.5"], lambda c, d: ["q", 1, 3], lambda c, d: ["b", "abc"],
    lambda c, d: ["dt", [2020, 1, 2, 3, 4, 5, 6], ["h", c.number(), ["C", c.number(), TIMEZONE]], 0], lambda c, d: ["k", "NotImplemented"],
    lambda c, d: ["g", "builtins", c.rng.choice(["int", "len", "map", "type", "object", "ValueError"])], lambda c, d: ["rg", [0, 3, 1]], lambda c, d: ["mp", ["k", 1]],
]
SPECIALS = ("eq ne lt le iter next len contains getitem setitem bool repr str format call sub rsub add radd enter exit await int float index hash get set delete "
            "set_name copy deepcopy round abs reversed class_getitem dir").split()
PLAIN_NAMES = "x save rows args append utcoffset dst tzname send keys items own describe name".split()
TIMEZONE = {"n": "Z", "q": "Z", "m": "solution", "k": "o", "b": [["g", "datetime", "tzinfo"]], "e": [["utcoffset", "f"], ["dst", "f"]], "c": None, "=": False, "#": 1, "t": [], "r": []}


def huge_list(count, make):
    return [make(i) for i in range(count)]

# reads source lines for a traceback, and the written signatures of built-in functions
HARMLESS_COMPILERS = frozenset([ast.__file__])


class Chance(random.Random):
    """Cheaper draws; none of them needs to be exactly even."""

    def choice(self, options):
        return options[int(self.random() * len(options))]

    def randrange(self, count):
        return int(self.random() * count)

    def randint(self, least, most):
        return least + int(self.random() * (most - least + 1))


class Counterpart:
    """The hostile side: sees what the examiner sends, and says what the seed makes it say."""

    def __init__(self, rng, read_end, write_end):
        self.rng = rng
        self.read_end, self.write_end = read_end, write_end
        self.unsent = b""
        self.buffer = bytearray()
        self.frames = 0
        self.leaks = []
        self.last = collections.deque(maxlen=4)
        self.spent = 0.0
        self.recorded = []
        self.start_session()

    def start_session(self):
        self.shown = []
        self.waiting = []
        self.said = 0
        self.replay = None
        self.unsent = b""
        self.mode = self.rng.choice("abcccccccccd")
        self.length = self.rng.randint(1, 14)
        self.own = [1]
        self.tame = self.mode == "c" and self.rng.random() < 0.7
        self.described = set()
        self.next_own = 1
        self.lied = 0

    # what the examiner says

    def hear(self):
        while True:
            try:
                chunk = os.read(self.read_end, 1 << 20)
            except BlockingIOError:
                break
            if not chunk:
                break
            self.buffer += chunk
        while len(self.buffer) >= 4:
            (length,) = struct.unpack_from(">I", self.buffer)
            if len(self.buffer) < 4 + length:
                break
            body = bytes(self.buffer[4 : 4 + length])
            del self.buffer[: 4 + length]
            if MARK.encode() in body:
                self.leaks.append(body[:600].decode("ascii", "replace"))
            message = json.loads(body)
            if message[0] not in ("=", "!"):
                self.waiting.append(message[2])
            if len(body) < 100_000:
                self._collect(message)

    def _collect(self, form, depth=0):
        if depth > 12 or type(form) is not list:
            return
        if len(form) >= 2 and type(form[0]) is str and form[0] in ("h", "F", "C", "v", "e", "co") and type(form[1]) is int:
            if len(self.shown) < 200:
                self.shown.append(form[1])
        for part in form:
            if type(part) is list:
                self._collect(part, depth + 1)

    # what it says

    def speak(self):
        """Puts the next frame, or the rest of it, into the pipe."""
        if self.lied > 3:
            os.write(self.gone, b"x")
            self.lied = 0
            return
        if self.lied:
            self.lied += 1
        if not self.unsent:
            self.frames += 1
            self.said += 1
            begun = time.monotonic()
            frame = self._frame()
            self.spent += time.monotonic() - begun
            self.last.append(frame[:3_000])
            self.unsent = frame
        try:
            count = os.write(self.write_end, self.unsent)
            self.unsent = self.unsent[count:]
        except BlockingIOError:
            pass

    def _frame(self):
        rng = self.rng
        if self.replay is not None:
            return self._replayed()
        if self.mode == "a" and rng.random() < 0.7:
            return self._random_bytes()
        if self.mode == "b" and rng.random() < 0.7:
            return _framed(json.dumps(self.any_json(4)).encode())
        if self.said > self.length or self.said > 40:
            return _framed(json.dumps(["=", 0, self.waiting.pop() if self.waiting else 0, None]).encode())
        message = self.message()
        if rng.random() < (0.02 if self.tame else 0.3):
            message = self.mutate(message)
        if rng.random() < 0.002:
            return self._heavy()
        try:
            body = json.dumps(message).encode()
        except (ValueError, RecursionError):
            body = b"[" * 5_000
        if rng.random() < 0.005:
            body = _flip(rng, body)
        if rng.random() < 0.002:
            self.lied = 1
            return struct.pack(">I", rng.choice([0, len(body) + 1, max(0, len(body) - 1), 2**32 - 1, 8 * 1024 * 1024 + 1])) + body
        return _framed(body)

    def _random_bytes(self):
        rng = self.rng
        body = rng.randbytes(rng.choice([0, 1, 3, 10, 100, 1000]))
        if rng.random() < 0.8:
            return _framed(body)
        self.lied = 1
        return body + b"\xff" * 8

    def _heavy(self):
        """Frames that cost: deep, wide, colliding or large."""
        rng, number = self.rng, self.waiting[-1] if self.waiting else 1
        p = 2**61 - 1
        kind = rng.randrange(10)
        if kind == 0:
            return _framed(b"[" * 100_000)
        if kind == 1:
            return _framed(b'["=",0,%d,' % number + b'["t",[' * 900 + b"1" + b"]]" * 900 + b"]")
        if kind == 2:
            keys = huge_list(3_000, lambda i: ["i", format(i * p, "x")])
            form = rng.choice([["S", 0, keys], ["Z", keys], ["d", 0, [x for key in keys for x in (key, 1)]], ["ct", 0, [x for key in keys for x in (key, 1)]]])
        elif kind == 3:
            keys = huge_list(2_000, lambda i: ["i", format(i * p, "x")]) + huge_list(2_100, lambda i: i)
            form = ["S", 0, keys]
        elif kind == 4:
            form = ["i", "f" * 200_000]
        elif kind == 5:
            form = ["q", ["i", "f" * 4_000], ["i", "e" * 3_999 + "d"]]
        elif kind == 6:
            form = "x" * 300_000
        elif kind == 7:
            form = ["l", 0, huge_list(20_000, lambda i: ["h", i + 1_000, ["C", 999]] if i else ["h", 999, ["C", 999, self.klass()]])]
        elif kind == 8:
            form = ["C", 77, {**self.klass(), "e": huge_list(1_990, lambda i: ["e%d" % i, "f"])}]
        else:
            form = ["re", "(a|b|[\x01-\uffff])*" * 20, 2]
        return _framed(json.dumps(["=", 0, number, form]).encode())

    def _replayed(self):
        rng = self.rng
        if not self.replay:
            return _framed(json.dumps(["=", 0, self.waiting.pop() if self.waiting else 0, None]).encode())
        message = json.loads(self.replay.popleft())
        if message[0] in ("=", "!") and self.waiting:
            message[2] = self.waiting.pop()
        body = json.dumps(message, separators=(",", ":")).encode()
        if rng.random() < 0.06:
            body = _flip(rng, body) if rng.random() < 0.5 else json.dumps(self.mutate(message)).encode()
        return _framed(body)

    def any_json(self, depth):
        rng = self.rng
        kind = rng.randrange(10 if depth else 7)
        if kind < 7:
            return self.scalar()
        if kind == 9:
            return {rng.choice(NAMES): self.any_json(depth - 1) for _ in range(rng.randrange(4))}
        return [self.any_json(depth - 1) for _ in range(rng.randrange(5))]

    def scalar(self):
        rng = self.rng
        if self.tame:
            return rng.choice([0, 1, 5, -1, 2.5, True, None, "a", "k", "", "text", 2**60])
        kind = rng.randrange(8)
        if kind < 2:
            return rng.randint(-3, 60)
        if kind == 2:
            return rng.choice([2**53, -(2**53), 2**64, 10**30, 0.5, -0.0, 1e308, float("nan"), float("inf")])
        if kind == 3:
            return rng.choice([True, False, None])
        if kind == 4:
            return rng.choice(NAMES)
        return rng.choice(TEXTS)

    def number(self):
        """A number for an object of its own: often one that was used before."""
        rng = self.rng
        if self.tame:
            self.next_own += 1
            return self.next_own
        if rng.random() < 0.01:
            return rng.choice(BAD_NUMBERS)
        if rng.random() < 0.4:
            return rng.choice(self.own)
        self.own.append(rng.randint(1, 400))
        return self.own[-1]

    def target(self):
        rng = self.rng
        roll = rng.random()
        if self.shown and (roll < 0.8 or self.tame):
            return ["r", rng.choice(self.shown)]
        if roll < 0.87:
            return ["r", rng.choice([rng.randint(0, 60), *BAD_NUMBERS])]
        return self.form(2)

    def name(self):
        if self.tame:
            return self.rng.choice(NAMES)
        return self.rng.choice(NAMES) if self.rng.random() < 0.97 else self.scalar()

    def named(self):
        return ["g", self.rng.choice(MODULES), self.rng.choice(GLOBALS)]

    def tame_class(self, kinds):
        """A class as an honest candidate might tell it, though with any entries."""
        rng = self.rng
        if self.described and rng.random() < 0.3:
            number, kind = rng.choice(sorted(self.described))
            if kind in kinds:
                return ["C", number]
        kind = rng.choice(kinds)
        number = self.number()
        self.described.add((number, kind))
        bases = [rng.choice(BASES[kind])] if kind != "o" or rng.random() < 0.2 else []
        near = [known for known in self.described if known[1] == kind and known[0] != number]
        if near and rng.random() < 0.2:
            bases = [["C", rng.choice(sorted(near))[0]]]
        entries = [["__%s__" % name, "f"] for name in rng.sample(SPECIALS, 8)] + [[name, rng.choice("ffcsa")] for name in rng.sample(PLAIN_NAMES, 3)]
        return ["C", number, {"n": "K%d" % number, "q": "K%d" % number, "m": "solution", "k": kind, "b": bases, "e": entries, "c": rng.choice([None, None, ["builtins", "dict"], ["builtins", "int"]]),
                              "=": True, "#": 2, "t": [], "r": [bases[0]] if bases and bases[0][0] == "C" and rng.random() < 0.5 else []}]

    def klass(self, depth=1):
        rng = self.rng
        kind = rng.choice("ooovx")
        told = [rng.choice(BASES[kind])] if kind != "o" or rng.random() < 0.2 else []
        for _ in range(rng.choice([0, 0, 0, 1, 2])):
            told.append(self.class_form(depth - 1) if depth > 0 and rng.random() < 0.7 else self.named() if rng.random() < 0.5 else ["r", self.any_shown()])
        rng.shuffle(told)
        entries = [[rng.choice(NAMES), rng.choice("ffcsanz"), *([rng.randint(-1, 3)] if rng.random() < 0.2 else [])] for _ in range(rng.randrange(8))]
        if rng.random() < 0.7:
            entries += [["__%s__" % n, "f"] for n in rng.sample(["eq", "iter", "next", "len", "contains", "getitem", "bool", "repr", "call", "hash", "sub"], 4)]
        return {"n": rng.choice(["K", "L", "int", rng.choice(TEXTS), rng.choice(NAMES)]), "q": rng.choice(["K", "K.L", "<locals>", rng.choice(TEXTS)]),
                "m": rng.choice(["solution", "builtins", "unittest.mock", "hidden_tests", rng.choice(TEXTS)]), "k": kind, "b": told,
                "e": entries, "c": rng.choice([None, None, None, ["builtins", rng.choice(GLOBALS)], [rng.choice(MODULES), rng.choice(GLOBALS)]]),
                "=": rng.choice([True, False, 3]), "#": rng.choice([0, 1, 2, 2, 2, None]), "t": rng.sample(NAMES, rng.choice([0, 0, 0, 2, 5])),
                "r": [self.class_form(0) for _ in range(rng.choice([0, 0, 0, 1, 2]))] if depth > 0 else rng.choice([[], [], [], [["r", self.any_shown()]], 5])}

    def class_form(self, depth=1):
        rng = self.rng
        if self.tame:
            return self.tame_class("oovx")
        if rng.random() < 0.08:
            return self.named() if rng.random() < 0.5 else ["r", self.any_shown()]
        number = self.number()
        return ["C", number, self.klass(depth)] if rng.random() < 0.5 else ["C", number]

    def exception(self, depth=2):
        rng = self.rng
        if self.tame:
            cls = ["g", "builtins", rng.choice(["ValueError", "KeyError", "StopIteration", "OSError", "SystemExit"])] if rng.random() < 0.5 else self.tame_class("x")
            return ["e", self.number(), cls, [self.form(1)], "text", None, False, []]
        cls = self.named() if rng.random() < 0.5 else self.class_form()
        if rng.random() < 0.4:
            cls = ["g", "builtins", rng.choice(["ValueError", "KeyError", "StopIteration", "SystemExit", "GeneratorExit", "OSError", "AssertionError",
                                                 "UnicodeDecodeError", "StopAsyncIteration", "MemoryError", "RecursionError", "BaseException"])]
        cause = self.exception(depth - 1) if depth and rng.random() < 0.2 else None if rng.random() < 0.6 else self.form(0)
        attributes = [[rng.choice(NAMES), self.form(1)] for _ in range(rng.choice([0, 0, 1, 3]))]
        return ["e", self.number(), cls, [self.form(1) for _ in range(rng.randrange(3))], rng.choice(TEXTS), cause, rng.choice([True, False, 1]), attributes]

    def form(self, depth=3):
        rng = self.rng
        roll = rng.random()
        if depth <= 0 or roll < 0.2:
            return self.scalar()
        if roll < 0.3:
            return self.target() if depth > 2 else ["r", rng.choice(self.shown or [1])]
        return rng.choice(TAME_FORMS if self.tame else FORMS)(self, depth - 1)

    def many(self, depth):
        return [self.form(depth) for _ in range(self.rng.randrange(4))]

    def pairs(self, depth):
        return [self.form(depth) for _ in range(2 * self.rng.randrange(3))]

    def shared_number(self):
        rng = self.rng
        roll = rng.random()
        return 2 * rng.randrange(30) + 1 if roll < 0.6 else 0 if roll < 0.9 else rng.choice([rng.randint(-2, 40), *BAD_NUMBERS])

    def fresh(self):
        self.next_own += 1
        return self.next_own * 2 + 1

    def tame_value(self):
        """An object of a subclass of an immutable built-in, with the value that fits."""
        number, base = self.number(), self.rng.choice("int str tuple float bytes".split())
        plain = {"int": 5, "str": "text", "tuple": ["t", [1, 2]], "float": 1.5, "bytes": ["b", "x"]}[base]
        entries = [["__%s__" % name, "f"] for name in self.rng.sample(SPECIALS, 4)]
        told = {"n": "V", "q": "V", "m": "solution", "k": "v", "b": [["g", "builtins", base]], "e": entries, "c": None, "=": False, "#": 2, "t": [], "r": []}
        return ["v", number, ["C", self.number(), told], plain]

    def any_shown(self):
        return self.rng.choice(self.shown) if self.shown else 1

    def extras(self):
        rng = self.rng
        if rng.random() < (0.95 if self.tame else 0.7):
            return 0
        made = {}
        if rng.random() < 0.5:
            made["u"] = [[rng.choice([rng.randint(0, 60), *BAD_NUMBERS]), [self.form(2) for _ in range(rng.randrange(4))]] for _ in range(rng.randrange(3))]
        if rng.random() < 0.4:
            made["r"] = [[rng.choice([*self.shown, rng.randint(0, 500), *BAD_NUMBERS]), rng.choice([1, 1, 2, -1, 2**70, 0.5, float("nan"), "x"])] for _ in range(rng.randrange(4))]
        if rng.random() < 0.1:
            made["f"] = [[rng.choice(PATHS), rng.choice("ddff-x"), rng.choice(TEXTS), rng.choice([0o644, 0, 0o7777, -1, 2**40, "x", True])] for _ in range(rng.randrange(4))]
        if rng.random() < 0.3:
            made["o"] = [[rng.choice([1, 2, 3, "1", None]), rng.choice([*TEXTS, 5, None, ["x"]])] for _ in range(rng.randrange(3))]
        if rng.random() < 0.05:
            made[rng.choice("urfoz")] = self.any_json(3)
        return made

    def message(self):
        rng = self.rng
        roll = rng.random()
        number = self.waiting[-1] if self.waiting else 1
        if roll < 0.5:
            if (rng.random() < 0.95 or self.tame) and self.waiting:
                self.waiting.pop()
            else:
                number = rng.choice([number, number - 1, number + 1, *BAD_NUMBERS])
            if rng.random() < 0.2:
                return ["!", self.extras(), number, self.exception() if rng.random() < 0.9 else self.form()]
            return ["=", self.extras(), number, self.form(4)]
        operation = rng.choice(list(OPERATIONS)[:17] if rng.random() < 0.9 else list(OPERATIONS))
        arguments = [MAKERS[letter](self) for letter in OPERATIONS[operation]]
        if rng.random() < 0.03:
            arguments = arguments[: rng.randrange(len(arguments) + 1)]
        return [operation, self.extras(), rng.choice([1_000, 1_001, -1, 2**70]), *arguments]

    def mutate(self, message):
        """Changes one place of a message, however deep."""
        rng, message = self.rng, copy.deepcopy(message)
        places = []

        def visit(node):
            items = enumerate(node) if type(node) is list else node.items() if type(node) is dict else ()
            for key, part in items:
                places.append((node, key))
                if len(places) < 500:
                    visit(part)

        visit(message)
        for _ in range(rng.choice([1, 1, 2, 4])):
            if not places:
                break
            node, key = rng.choice(places)
            how = rng.randrange(6)
            try:
                if how == 0:
                    node[key] = self.any_json(2)
                elif how == 1:
                    node[key] = self.scalar()
                elif how == 2:
                    node[key] = self.form(2)
                elif how == 3:
                    del node[key]
                elif how == 4:
                    node[key] = [node[key], node[key]]
                elif type(node) is list:
                    node.append(node[key])
            except (IndexError, KeyError):
                pass
        return message


def _framed(body):
    return struct.pack(">I", len(body)) + body


def _flip(rng, body):
    changed = bytearray(body)
    for _ in range(rng.choice([1, 1, 1, 3, 8])):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


# what a test may do with an answer
def _derive(value):
    class Derived(value):
        def own(self):
            return 1

    return Derived


def _raise(value):
    raise value if isinstance(value, BaseException) else ValueError


USES = [
    lambda v: v == 4711, lambda v: 4711 == v, lambda v: v == [1, 2], lambda v: v == {"k": 1}, lambda v: v == {1}, lambda v: v != (1,), lambda v: v == v,
    lambda v: v == collections.Counter("ab"), lambda v: v == "text", lambda v: 5 in v, lambda v: v in [1, 2], lambda v: v in {1: 2}, lambda v: {v: 1},
    lambda v: [x for _, x in zip(range(12), v)], lambda v: list(zip(v, range(3))), lambda v: len(v), lambda v: bool(v), lambda v: hash(v), lambda v: repr(v)[:50],
    lambda v: str(v)[:50], lambda v: "%s" % (v,), lambda v: format(v, ""), lambda v: v.x, lambda v: v.save(1), lambda v: v(1, k=2), lambda v: v[0], lambda v: v["k"],
    lambda v: v < 3, lambda v: sorted([v, v]), lambda v: max(v, 1), lambda v: abs(v - 3.5) < 1, lambda v: v + 1, lambda v: isinstance(v, (int, dict, Exception)),
    lambda v: isinstance(1, v), lambda v: issubclass(v, Exception), lambda v: copy.copy(v), lambda v: copy.deepcopy(v), lambda v: pickle.dumps(v), _derive, _raise,
    lambda v: dir(v), lambda v: setattr(v, "x", 1), lambda v: delattr(v, "x"), lambda v: int(v), lambda v: float(v), lambda v: next(v), lambda v: v.__class__,
    lambda v: v.send(None), lambda v: v.__dict__, lambda v: v.__enter__(), lambda v: type(v).__mro__, lambda v: json.dumps(v), lambda v: getattr(v, "__test__", None),
    lambda v: v.args, lambda v: v.__name__, lambda v: v.__signature__, lambda v: v.__code__, lambda v: v.utcoffset(None), lambda v: v == 1.5, lambda v: v.append(1),
]


def _import_arrays():
    try:
        import numpy  # noqa: F401
    except ImportError:
        pass


class Worker:
    """One examiner and its counterpart."""

    def __init__(self, seed, bound):
        self.seed, self.bound = seed, bound
        self.rng = Chance(seed)
        self.base = tempfile.mkdtemp(prefix="proctor-fuzz-")
        self.shared = os.path.join(self.base, "shared")
        self.hidden = os.path.join(self.base, "hidden")
        os.mkdir(self.shared)
        os.mkdir(self.hidden)
        os.environ["TMPDIR"] = self.shared
        self.failures = []
        self.errors = sys.stderr
        self.counts = collections.Counter()
        self.on_guard = False
        self.writing = set()

    def prepare(self):
        sys.path[:0] = [os.path.join(GRADERS, "split"), os.path.join(GRADERS, "pytest")]
        with open(os.path.join(self.hidden, "hidden_tests.py"), "w", encoding="ascii") as file:
            file.write(HIDDEN_SOURCE.format(mark=MARK))
        sys.path.insert(0, self.hidden)
        import hidden_tests
        import proctor_split.names as names
        from proctor_pytest.examiner_peer import ExaminerPeer
        from proctor_split.link import Link, Lost

        sys.path.pop(0)
        warnings.simplefilter("ignore")
        for module in ("tracemalloc", "linecache", "difflib", "pprint", "encodings.utf_16", "encodings.utf_32", "encodings.utf_16_le", "encodings.utf_16_be", "encodings.utf_32_le",
                       "encodings.utf_32_be", "encodings.latin_1", "encodings.ascii", "encodings.utf_8_sig", *sorted(names._EXCEPTION_MODULES)):
            try:
                __import__(module)
            except ImportError:
                pass
        sys.unraisablehook = lambda told: None  # what a stand-in's __del__ raises is nobody's answer
        self.tests, self.lost_type = hidden_tests, Lost
        to_far, from_near = os.pipe()
        to_near, from_far = os.pipe()
        control, self.control_far = os.pipe()
        self.control_answers, control_out = os.pipe()
        for descriptor in (to_far, from_far, self.control_answers):
            os.set_blocking(descriptor, False)
        self.control = control
        os.set_blocking(control, False)
        self.far = far = Counterpart(self.rng, to_far, from_far)
        far.gone = self.control_far

        class Lively(Link):
            def _wait(self, poll):
                far.hear()
                if poll is self._readable:
                    far.speak()
                return super()._wait(poll)

        self.peer = ExaminerPeer(self.hidden, Link(to_near, from_near, control))
        self.peer.link.__class__ = Lively
        self.key = __import__("proctor_split.ref", fromlist=["KEY"]).KEY
        self.record(ExaminerPeer)
        _import_arrays()  # what a snapshot with numpy imports at the first array is no deed of a frame's
        sys.addaudithook(self.heard)
        self.on_guard = True

    def heard(self, event, arguments):
        """Whatever the engine does to the process beyond its folder is a failure."""
        if not self.on_guard:
            return
        if event == "compile" and sys._getframe(1).f_code.co_filename in HARMLESS_COMPILERS:
            return
        bad = event in ("exec", "compile", "os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "pickle.find_class", "marshal.loads",
                        "socket.connect", "socket.bind", "ctypes.dlopen", "os.putenv", "os.unsetenv", "os.chdir", "os.kill")
        if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            bad = not self.beneath(arguments[0])
        elif event in ("os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.truncate", "os.utime", "os.chown"):
            bad = not self.beneath(arguments[0])
        elif event in ("os.rename", "os.symlink", "os.link"):
            bad = not (self.beneath(arguments[0]) and self.beneath(arguments[1]))
        if bad:
            self.fail("%s %.200r" % (event, arguments))

    def beneath(self, path):
        try:
            return os.path.realpath(os.fsdecode(path)).startswith(self.shared + os.sep)
        except (TypeError, ValueError):
            return isinstance(path, int)

    def fail(self, what):
        if len(self.failures) < 20:
            last = [frame.decode("latin-1") for frame in self.far.last]
            print("seed %d frame %d: %s\n  %s" % (self.seed, self.far.frames, what[:300], "\n  ".join(text[:700] for text in last[-2:])), file=self.errors, flush=True)
            self.failures.append({"what": what[:500], "seed": self.seed, "frame": self.far.frames, "last": [text[:1_500] for text in last]})

    def record(self, make_peer):
        """A session with a real candidate, frame by frame."""
        from proctor_split.link import Link

        to_far, from_near = os.pipe()
        to_near, from_far = os.pipe()
        control, far_control = os.pipe()
        host, artifact = os.path.join(GRADERS, "split", "host.py"), os.path.join(HERE, "artifact")
        place = os.path.join(self.base, "recorded")
        os.mkdir(place)
        process = subprocess.Popen([sys.executable, "-I", "-B", host, str(to_far), str(from_far), artifact], pass_fds=(to_far, from_far), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=place, env={"TMPDIR": place, "PATH": os.environ.get("PATH", "")})
        frames = []
        try:
            peer = make_peer(self.hidden, Link(to_near, from_near, control))
            receive = peer.link.receive
            peer.link.receive = lambda: frames.append(receive()) or frames[-1]
            peer.link.deadline = time.monotonic() + 20
            self.scenario(peer)
        finally:
            process.kill()
            process.wait()
            for descriptor in (to_far, from_near, to_near, from_far, control, far_control):
                os.close(descriptor)
        self.far.recorded = frames
        if len(frames) < 30:
            self.fail("only %d frames were recorded" % len(frames))

    def scenario(self, peer):
        """What a suite does with the artifact; the same when recorded and when replayed."""

        def attempt(action):
            try:
                return action()
            except Exception:  # a replayed answer may be anything
                return None

        module = peer.request("import", "shapes")
        handed = self.tests.hand_over()
        for action in (
            lambda: module.add(1, 2), lambda: module.echo([1, {"a": (2, b"x")}]), lambda: module.Point(1, 2) == module.Point(1, 2), lambda: module.Point(3).moved(2).x,
            lambda: module.Box([1]).items.append(2), lambda: list(module.Color), lambda: module.Level.HIGH + 1, lambda: module.Pair(1, 2).left, lambda: module.Square(2).describe(),
            lambda: module.Shape("a").area(), lambda: module.Shape.make("b").title, lambda: module.echo(handed[0]), lambda: module.echo(handed[1]), lambda: module.sort_in_place([3, 1]),
            lambda: module.Keeper().give(), lambda: isinstance(module.ShapeError("x", 3), ValueError), lambda: module.same_list([1]), lambda: _derive(module.Shape)("c").describe(),
            lambda: module.append_to(1), lambda: module.echo({1, 2}), lambda: sorted([module.Square(2), module.Square(1)]), lambda: repr(module.Square(2)), lambda: dir(module),
        ):
            attempt(action)

    def once(self):
        """One session: from a renewed candidate to its end."""
        peer, far, rng = self.peer, self.far, self.rng
        far.start_session()
        peer.link.deadline = time.monotonic() + self.bound * 3
        if far.mode == "d":
            far.replay = collections.deque(far.recorded)
            peer.refs._next, peer.shared._next = 1, 2
            self.guarded(lambda: self.scenario(peer))
        else:
            handed = self.tests.hand_over()
            arguments = tuple(rng.sample(handed, rng.randint(1, 4)))
            answers = [self.guarded(lambda: peer.request("call", arguments[0], arguments[1:], {}))]
            for _ in range(rng.choice([0, 1, 2, 4])):
                if peer.link.lost is not None:
                    break
                value = rng.choice(answers)
                use = rng.choice(USES)
                answers.append(self.guarded(lambda: use(value)))
            handed[-1].close()
            answers.clear()
        far.hear()
        if peer.link.lost is not None:
            self.counts["lost"] += 1
            self.counts["lost:" + str(peer.link.lost.why)] += 1
            if peer.link.lost.why not in ("protocol", "closed", "late"):
                self.fail("lost for %r" % (peer.link.lost.why,))
        peer.renew()
        peer.files.renew()
        try:
            os.read(self.control, 64)
        except BlockingIOError:
            pass

    def guarded(self, action):
        """Runs one thing of a test's; anything but an answer, an ordinary exception or Lost is a failure."""
        start = time.monotonic()
        try:
            value = action()
            self.counts["answered"] += 1
            return value
        except self.lost_type:
            return None
        except Exception:
            self.counts["raised"] += 1
            return None
        except BaseException as error:
            if self.key in getattr(error, "__dict__", {}):
                self.counts["raised"] += 1  # the candidate's own, as data
            else:
                self.fail("%s: %s" % (type(error).__name__, error))
            return None
        finally:
            took = time.monotonic() - start - self.far.spent
            self.far.spent = 0.0
            if took > self.bound * 3 + 2:  # beyond the deadline that ends endless answers
                self.fail("took %.1f s" % took)

    def run(self, frames, report):
        out = io.StringIO()
        kept, streams = [], (sys.stdout, sys.stderr)
        sessions = 0
        next_report = time.monotonic() + 5
        sys.stdout = sys.stderr = out
        start_rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            while self.far.frames < frames and len(self.failures) < 20:
                if sessions % 50 == 0:
                    faulthandler.dump_traceback_later(HANG_SECONDS, exit=True, file=streams[1])
                self.once()
                sessions += 1
                out.seek(0)
                out.truncate()
                for leak in self.far.leaks:
                    self.fail("the marker was sent: " + leak)
                self.far.leaks.clear()
                if self.tests.CALLS:
                    self.fail("a function that was not handed over was called")
                    self.tests.CALLS.clear()
                if sessions % 200 == 0:
                    self.housekeeping()
                if time.monotonic() > next_report:
                    next_report += 5
                    report("seed %d: %d frames, %d failures" % (self.seed, self.far.frames, len(self.failures)))
        finally:
            faulthandler.cancel_dump_traceback_later()
            sys.stdout, sys.stderr = streams
            self.on_guard = False
        try:
            if os.read(self.control_answers, 1):
                self.fail("something was written to the control descriptor")
        except BlockingIOError:
            pass
        del kept
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return {"frames": self.far.frames, "sessions": sessions, "lost": self.counts["lost"], "answered": self.counts["answered"], "raised": self.counts["raised"],
                "why": {key[5:]: count for key, count in self.counts.items() if key.startswith("lost:")}, "failures": self.failures,
                "peakRssMb": rss // 1024, "grownRssMb": (rss - start_rss) // 1024}

    def housekeeping(self):
        """Forgets what many renewals of one process leave behind, and checks the shared folder's neighbours."""
        self.peer.refs._by_origin.clear()
        if hasattr(self.peer.refs, "_entries_made"):
            self.peer.refs._entries_made = 0
        import logging

        logging.root.manager.loggerDict.clear()
        self.on_guard = False
        for name in os.listdir(self.shared):
            full = os.path.join(self.shared, name)
            if os.path.isdir(full) and not os.path.islink(full):
                shutil.rmtree(full, ignore_errors=True)
            else:
                os.unlink(full)
        if sorted(os.listdir(self.base)) != ["hidden", "recorded", "shared"] or [n for n in os.listdir(self.hidden) if n != "__pycache__"] != ["hidden_tests.py"]:
            self.fail("a file outside of the shared folder: %r" % sorted(os.listdir(self.base)))
        self.on_guard = True


def work(options):
    """A worker's part: its summary goes to standard output."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024 * 1024, 64 * 1024 * 1024))
    streams = sys.stdout, sys.stderr
    worker = Worker(options.seed, options.bound)
    try:
        worker.prepare()
        told = worker.run(options.frames, lambda text: print(text, file=streams[1], flush=True))
    finally:
        worker.on_guard = False
        shutil.rmtree(worker.base, ignore_errors=True)
    print(json.dumps(told), file=streams[0], flush=True)
    os._exit(0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--bound", type=float, default=2.0, help="seconds that one use of an answer may take")
    parser.add_argument("--worker", action="store_true")
    options = parser.parse_args()
    if options.worker:
        return work(options)
    start = time.monotonic()
    share = -(-options.frames // options.jobs)
    workers = []
    for job in range(options.jobs):
        command = [sys.executable, "-I", "-B", os.path.abspath(__file__), "--worker", "--frames", str(share), "--seed", str(options.seed + job), "--bound", str(options.bound)]
        workers.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env={"PATH": os.environ.get("PATH", ""), "PYTHONHASHSEED": "0"}))
    total = {"frames": 0, "lost": 0, "answered": 0, "raised": 0, "sessions": 0, "failures": [], "peakRssMb": 0, "grownRssMb": 0, "why": {}}
    for job, worker in enumerate(workers):
        text = worker.communicate()[0]
        try:
            told = json.loads(text)
        except ValueError:
            total["failures"].append({"what": "the worker ended with %d" % worker.returncode, "seed": options.seed + job, "frame": None})
            continue
        for key in ("frames", "sessions", "lost", "answered", "raised"):
            total[key] += told[key]
        for key in ("peakRssMb", "grownRssMb"):
            total[key] = max(total[key], told[key])
        for why, count in told["why"].items():
            total["why"][why] = total["why"].get(why, 0) + count
        total["failures"] += told["failures"]
    total["seconds"] = round(time.monotonic() - start, 1)
    print(json.dumps(total))
    return 1 if total["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
