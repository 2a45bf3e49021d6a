"""Candidates that speak the wire themselves: raw frames, no rules kept.

    python3 foe.py NAME READ_FD WRITE_FD

What an attack found out it writes into the folder named by REPORT: the attacks' judge reads it there.
"""

import json
import os
import struct
import sys
import time

MARK = "marker-" + "4711-hidden"
NONE = ["d", 0, []]
FUNCTION = ["F", 2, ["f", "f", "solution", None, "f"]]


def t(*parts):
    return ["t", list(parts)]


class Foe:
    """A counterpart of the examiner's that can ask back at any time."""

    def __init__(self, read_end, write_end):
        self.read_end, self.write_end = read_end, write_end
        self.number = 10_000
        self.seen = []

    def report(self, name, text):
        with open(os.path.join(os.environ["REPORT"], name), "a", encoding="utf-8", errors="replace") as file:
            file.write(text + "\n")

    def raw(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self.write_end, view[: 1 << 20]) :]

    def send(self, message):
        body = json.dumps(message).encode()
        self.raw(struct.pack(">I", len(body)) + body)

    def receive(self):
        (length,) = struct.unpack(">I", self._exactly(4))
        body = self._exactly(length)
        if MARK.encode() in body:
            self.report("marker", body[:400].decode())
        return json.loads(body)

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            part = os.read(self.read_end, count - len(data))
            if not part:
                os._exit(0)
            data += part
        return data

    def ask(self, operation, *forms, extras=0):
        """Asks the examiner something; gives its answer's message."""
        self.number += 1
        self.send([operation, extras, self.number, *forms])
        while True:
            message = self.receive()
            if message[0] in ("=", "!"):
                return message
            self.send(self.usual(message))

    def usual(self, message):
        """What an honest but empty candidate says."""
        operation, _, number, *forms = message
        if operation == "import":
            return ["=", 0, number, ["M", 1, "solution"]]
        if operation == "get" and forms[0][:2] == ["r", 1]:
            return ["=", 0, number, FUNCTION]
        if operation == "dir" or operation == "public":
            return ["=", 0, number, ["l", 0, ["f"]]]
        return ["=", 0, number, None]

    def serve(self, on_call):
        """Answers for ever; `on_call(foe, message)` gives the form that a call of f answers, or sends it itself (False)."""
        while True:
            message = self.receive()
            if message[0] == "call":
                form = on_call(self, message)
                if form is not False:
                    self.send(["=", 0, message[2], form])
            else:
                self.send(self.usual(message))


# floods and lies about length


def length_lie(foe, message):
    foe.raw(struct.pack(">I", 2**30))
    foe.raw(b"x" * 1_000_000)
    return False


def real_gigabyte(foe, message):
    foe.raw(struct.pack(">I", 8 * 1024 * 1024))
    for _ in range(128):
        foe.raw(b" " * (8 * 1024 * 1024))
    return False


def largest_frame(foe, message):
    body = b'["=",0,%d,"' % message[2]
    foe.raw(struct.pack(">I", 8 * 1024 * 1024) + body + b"x" * (8 * 1024 * 1024 - len(body) - 2) + b'"]')
    return False


def nested_frame(foe, message):
    body = b'["=",0,%d,' % message[2] + b"[" * 4_000_000 + b"]" * 4_000_000 + b"]"
    foe.raw(struct.pack(">I", len(body)) + body)
    return False


def empty_lists(foe, message):
    body = b'["=",0,%d,["l",0,[' % message[2] + b",".join([b'["t",[]]'] * 800_000) + b"]]]"
    foe.raw(struct.pack(">I", len(body)) + body)
    return False


def drip(foe, message):
    body = json.dumps(["=", 0, message[2], 42]).encode()
    for byte in struct.pack(">I", len(body)) + body:
        foe.raw(bytes([byte]))
        time.sleep(0.2)
    return False


def silence(foe, message):
    time.sleep(60)
    return False


def for_ever(foe, message):
    while True:
        foe.ask("dir", ["r", 1])


def callback_for_ever(foe, message):
    target = message[4][1][0]
    while True:
        foe.ask("call", ["r", target[1]], t(["F", 9, ["g", "g", "solution", None, "f"]]), NONE)


def output_flood(foe, message):
    for _ in range(400):
        foe.ask("dir", ["r", 1], extras={"o": [[1, "x" * 2_000_000]]})
    return 42


def log_flood(foe, message):
    for index in range(20_000):
        foe.ask("log", "name%d" % index, 50, "path", 1, "x" * 10_000, "f", None)
    return 42


def many_handles(count):
    def attack(foe, message):
        told = {"n": "H", "q": "H", "m": "solution", "k": "o", "b": [], "e": [], "c": None, "=": False, "#": 1, "t": [], "r": []}
        sent, number = 0, 100
        while sent < count:
            part = [["h", number + i, ["C", 99, told] if sent + i == 0 else ["C", 99]] for i in range(min(50_000, count - sent))]
            number += len(part)
            sent += len(part)
            if sent >= count:
                return ["l", 0, part]
            foe.ask("call", ["r", message[4][1][0][1]], t(["l", 0, part]), NONE)

    return attack


def many_classes(foe, message):
    entries = [["e%d" % i, "f"] for i in range(1_990)]
    return ["l", 0, [["C", 100 + i, {"n": "K%d" % i, "q": "K%d" % i, "m": "solution", "k": "o", "b": [], "e": entries, "c": None, "=": False, "#": 1, "t": [], "r": []}]
                     for i in range(220)]]


# collisions and costly values
PRIME = 2**61 - 1


def colliding(kind, count=100_000, fair=0):
    def attack(foe, message):
        keys = [["i", format(i * PRIME, "x")] for i in range(1, count)] + list(range(fair))
        if kind in ("S", "Z"):
            return [kind, 0, keys] if kind == "S" else [kind, keys]
        return [kind, 0, [part for key in keys for part in (key, 1)]]

    return attack


def huge_fraction(foe, message):
    return ["q", ["i", "f" * 3_000_000], ["i", "e" * 2_999_999 + "d"]]


def huge_number(foe, message):
    return ["i", "f" * 8_000_000]


def huge_digits(foe, message):
    body = b'["=",0,%d,' % message[2] + b"7" * 8_000_000 + b"]"
    foe.raw(struct.pack(">I", len(body)) + body)
    return False


def costly_pattern(foe, message):
    return ["re", "[\x00-\uffff]" * 1_900, 34]


def slow_pattern(foe, message):
    return ["re", "(a+)+$", 32]


def deep_value(foe, message):
    form = 1
    for _ in range(150):
        form = t(form)
    return form


def answers_twice(foe, message):
    foe.send(["=", 0, message[2], 42])
    foe.send(["=", 0, message[2], 42])
    return False


def answer_to_nothing(foe, message):
    foe.send(["=", 0, 999_999, 42])
    return 42


def forged_service_frames(foe, message):
    for text in ('{"kind":"done","exit":0}', '{"kind":"result","id":"test_a.py::test_a","status":"passed"}', '{"renewed":true}', '{"gone":true}'):
        body = text.encode()
        foe.raw(struct.pack(">I", len(body)) + body)
    return 42


# files


def files(*changes):
    def attack(foe, message):
        foe.ask("dir", ["r", 1], extras={"f": [list(change) for change in changes]})
        return 42

    return attack


def many_files(foe, message):
    for part in range(6):
        foe.ask("dir", ["r", 1], extras={"f": [["n%d-%d" % (part, i), "f", "x", 0o644] for i in range(2_000)]})
    return 42


def much_data(foe, message):
    for part in range(60):
        foe.ask("dir", ["r", 1], extras={"f": [["big%d" % part, "f", "x" * 7_000_000, 0o644]]})
    return 42


# ways out: everything that can be asked of what a test hands over
SECRET_NAMES = (
    "__class__ __reduce__ __globals__ __closure__ __defaults__ __kwdefaults__ __code__ __dict__ __self__ __func__ __wrapped__ __init__ __subclasses__ "
    "mro __mro__ __bases__ __traceback__ __context__ __cause__ __builtins__ __module__ __weakref__ __getattribute__ gi_frame gi_code gi_yieldfrom cr_frame "
    "f_back f_locals f_globals tb_frame tb_next args func keywords expected secret SECRET held hidden config session node function cls module instance "
    "fixturenames _pyfuncitem _parent_request _fixture_defs getfixturevalue _mock_parent _mock_children _mock_wraps _spec_class side_effect return_value "
    "manager root parent handlers filters loggerDict value traceback excinfo _excinfo tb type id _testMethodName _outcome _cleanups run debug __call__ "
    "countTestCases _setattr undo setattr setitem context _exit_callbacks pop_all enter_context callback gen __enter__ __exit__ string re pos regs group "
    "expand getvalue read buffer seek name _thread _target ident peer words tests refs _ref _told epoch link data items keys values copy get __getitem__ "
    "format format_map __format__ encode join __str__ __repr__ __dir__ __reduce_ex__ __sizeof__ __init_subclass__ send throw close read_text iterdir open "
    "write_text joinpath parents resolve glob as_posix __fspath__ getbasetemp _basetemp fget fset getter deleter random getstate seed _randbelow"
).split()


def escape(foe, message):
    if len(message[4][1]) < 3:
        return None
    return walk(foe, message)


def walk(foe, message):
    """Walks from everything handed over through every operation, looking for the marker or for objects of the runner's."""
    start = time.monotonic()
    waiting = [form[1] for form in message[4][1] if type(form) is list and len(form) > 1 and form[0] in ("h", "F", "C", "v", "e", "co")]
    for form in message[4][1]:
        note_classes(foe, form)
    handed = list(waiting)
    echo = waiting[0]
    depth = dict.fromkeys(waiting, 0)
    asked = 0

    def look(path, answer):
        nonlocal asked
        asked += 1
        text = json.dumps(answer)
        if MARK in text:
            foe.report("leaks", "%s -> %s" % (path, text[:300]))
        if answer[0] == "=":
            note_reached(foe, path, answer[3])
            for number in numbers(answer[3]):
                if number not in depth:
                    depth[number] = len(path)
                    if len(path) < 4:
                        waiting.append(number)
                        paths[number] = path

    paths = {number: ("#%d" % index,) for index, number in enumerate(waiting)}
    while waiting and asked < 60_000 and time.monotonic() - start < 40:
        number = waiting.pop(0)
        me, path = ["r", number], paths[number]
        names = list(SECRET_NAMES)
        told = foe.ask("dir", me)
        look((*path, "dir"), told)
        if told[0] == "=" and type(told[3]) is list:
            names += [name for name in told[3][2] if type(name) is str and name not in names][:40]
        for operation in ("signature", "code", "hash", "run"):
            look((*path, operation), foe.ask(operation, me))
        look((*path, "next"), foe.ask("next", me, 3))
        look((*path, "call"), foe.ask("call", me, t(), NONE))
        look((*path, "call me"), foe.ask("call", me, t(me), NONE))
        look((*path, "echo"), foe.ask("call", ["r", echo], t(me), NONE))
        for name in names:
            look((*path, "get " + name), foe.ask("get", me, name))
            look((*path, "meth " + name), foe.ask("meth", me, name, t(), NONE))
            if len(path) > 1:
                continue
            look((*path, "meth1 " + name), foe.ask("meth", me, name, t("{0.__class__} %s SECRET"), NONE))
            look((*path, "getfrom " + name), foe.ask("getfrom", ["r", handed[2]], name, me))
            look((*path, "from " + name), foe.ask("from", ["r", handed[2]], name, t(me), NONE))
            look((*path, "fromclass " + name), foe.ask("fromclass", ["r", handed[2]], name, ["r", handed[2]], t(), NONE))
            look((*path, "tm " + name), foe.ask("tm", me, name, t()))
            for base in (["g", "builtins", "object"], ["g", "builtins", "type"], ["g", "functools", "partial"]):
                look((*path, "from %s %s" % (base[2], name)), foe.ask("from", base, name, t(me), NONE))
    foe.report("asked", "%d questions, %d objects" % (asked, len(depth)))
    return None


def numbers(form, depth=0):
    if type(form) is not list or depth > 8:
        return
    if len(form) > 1 and form[0] in ("h", "F", "C", "v", "e", "co") and type(form[1]) is int:
        yield form[1]
    for part in form:
        yield from numbers(part, depth + 1)


def classes(form, depth=0):
    if type(form) is dict:
        yield form
        form = list(form.values())
    if type(form) is not list or depth > 8:
        return
    for part in form:
        yield from classes(part, depth + 1)


def note_classes(foe, form):
    for told in classes(form):
        foe.seen.append((told.get("m"), told.get("n")))


def note_reached(foe, path, form):
    for told in classes(form):
        key = (told.get("m"), told.get("n"))
        if key not in foe.seen:
            foe.seen.append(key)
            foe.report("reached", "%s.%s by %s" % (*key, " / ".join(path)))


def tricks(foe, message):
    """Single frames that once worked, or that look as if they might."""
    echo, instance, cls = (form[1] for form in message[4][1][:3])
    hidden = os.environ["HIDDEN_FOLDER"]
    file = os.path.join(hidden, "test_a.py")
    handler = ["g", "logging", "Handler"]
    chain = ["bm", ["bm", handler, "__init__"], "__globals__"]
    partial_type = ["g", "functools", "partial"]
    attempts = [
        ("read", ["meth", ["p", "PosixPath", file], "read_text", t(), NONE]),
        ("write", ["meth", ["p", "PosixPath", os.path.join(hidden, "written")], "write_text", t("x"), NONE]),
        ("delete", ["meth", ["p", "PosixPath", file], "unlink", t(), NONE]),
        ("globals by cm", ["meth", ["cm", echo, "__globals__"], "get", t("SECRET"), NONE]),
        ("globals by bm", ["call", ["g", "operator", "getitem"], t(["bm", ["r", echo], "__globals__"], "SECRET"), NONE]),
        ("echo cm", ["call", ["r", echo], t(["cm", echo, "__globals__"]), NONE]),
        ("echo bm", ["call", ["r", echo], t(["bm", ["r", echo], "__globals__"]), NONE]),
        ("echo bm bm", ["call", ["r", echo], t(["bm", ["bm", ["r", instance], "__init__"], "__globals__"]), NONE]),
        ("echo chain", ["call", ["r", echo], t(chain), NONE]),
        ("builtins", ["call", ["g", "operator", "getitem"], t(chain, "__builtins__"), NONE]),
        ("format", ["meth", "{0.__init__.__globals__[sys].modules[test_a].SECRET}", "format", t(handler), NONE]),
        ("format by class", ["from", ["g", "builtins", "str"], "format", t("{0.__globals__[SECRET]}", ["r", echo]), NONE]),
        ("formatter", ["call", ["g", "string", "Formatter"], t(), NONE]),
        ("argparse", ["call", ["g", "argparse", "ArgumentParser"], t(), ["d", 0, ["fromfile_prefix_chars", "@"]]]),
        ("partial type", ["call", partial_type, t(["g", "builtins", "type"]), NONE]),
        ("map type", ["call", ["g", "builtins", "map"], t(["g", "builtins", "type"], ["l", 0, [["r", instance]]]), NONE]),
        ("manager", ["get", ["g", "logging", "Logger"], "manager"]),
        ("power", ["call", ["g", "builtins", "pow"], t(7, 10**9), NONE]),
        ("sum", ["call", ["g", "builtins", "sum"], t(["rg", [0, 10**12, 1]]), NONE]),
        ("all", ["call", ["g", "builtins", "all"], t(["rg", [1, 10**12, 1]]), NONE]),
        ("thread", ["call", ["g", "threading", "Thread"], t(), ["d", 0, ["target", ["r", echo]]]]),
        ("class set", ["set", ["r", cls], "value", 1]),
        ("class eq", ["set", ["r", cls], "__eq__", FUNCTION]),
        ("instance class", ["set", ["r", instance], "__class__", ["r", cls]]),
        ("code", ["set", ["r", echo], "__code__", 1]),
        ("defaults", ["set", ["r", echo], "__defaults__", t(1)]),
        ("register", ["tm", ["g", "collections.abc", "Mapping"], "register", t(["r", cls])]),
        ("subclasses", ["tm", ["r", cls], "__subclasses__", t()]),
        ("new class", ["derive", "X", NONE, t(["r", cls]), NONE, NONE]),
        ("unpickle", ["unpickle", ["b", "cos\nsystem\n(S'true'\ntR."]]),
        ("import", ["import", "os"]),
        ("find", ["find", "os", "system"]),
        ("raw", ["raw", ["r", cls], "__init__"]),
        ("patch", ["patch", "os", ["l", 0, ["sep"]], "x", True]),
        ("environment", ["environment", "PATH", "x"]),
        ("base class", ["call", ["r", echo], t(["C", 500, {"n": "B", "q": "B", "m": "solution", "k": "o", "b": [["r", cls]], "e": [["__eq__", "f"]], "c": None, "=": True, "#": 2, "t": [], "r": []}]), NONE]),
        ("module", ["call", ["r", echo], t(["M", 501, "sys"]), NONE]),
        ("ru", ["call", ["r", echo], t(["ru", cls, [1]]), NONE]),
        ("warn file", ["warn", "text", ["g", "builtins", "UserWarning"], file, 3]),
    ]
    for name, request in attempts:
        answer = foe.ask(request[0], *request[1:])
        text = json.dumps(answer)
        foe.report("answers", "%s: %s" % (name, text[:200]))
        if MARK in text:
            foe.report("leaks", "%s: %s" % (name, text[:200]))
        if answer[0] == "=" and name not in ("base class", "module", "ru", "warn file", "thread"):
            foe.report("allowed", "%s: %s" % (name, text[:200]))
    return 42


def quiet_tricks(foe, message):
    """As `tricks`, but one that loses the link is no reason to stop: each in a session of its own is too slow."""
    return tricks(foe, message)


ATTACKS = {
    **{f.__name__: f for f in (length_lie, real_gigabyte, largest_frame, nested_frame, empty_lists, drip, silence, for_ever, callback_for_ever, output_flood, log_flood,
                               many_classes, huge_fraction, huge_number, huge_digits, costly_pattern, slow_pattern, deep_value, answers_twice, answer_to_nothing,
                               forged_service_frames, many_files, much_data, escape)},
    "handles_10000": many_handles(10_000), "handles_200001": many_handles(200_001), "colliding_dict": colliding("d"), "colliding_set": colliding("S"),
    "colliding_frozenset": colliding("Z"), "colliding_counter": colliding("ct"), "colliding_half": colliding("S", 60_000, 60_001),
    "file_above": files(["../escaped", "f", "x", 0o644]), "file_absolute": files(["/tmp/proctor-escaped", "f", "x", 0o644]), "file_nul": files(["a\0b", "f", "x", 0o644]),
    "file_deep": files(["d/" * 40 + "x", "f", "x", 0o644]), "file_modes": files(["d", "d", "", 0], ["s", "f", "x", 0o7777], ["d", "f", "x", 0o600], ["s/x", "f", "x", 0o600]),
    "file_folder_removed": files([".", "-", "", 0]), "file_odd": files(["\ud800", "f", "x", 1], ["n" * 300, "f", "x", 1]),
}


def trick(index):
    """The attack that makes only one of the tricks' attempts."""

    def attack(foe, message):
        real = Foe.ask
        counter = iter(range(1_000))
        foe.ask = lambda *request, **keywords: real(foe, *request, **keywords) if next(counter) == index else ["skipped", 0, 0, None]
        return tricks(foe, message)

    return attack


TRICKS = 39
ATTACKS.update({"trick_%d" % index: trick(index) for index in range(TRICKS)})

if __name__ == "__main__":
    Foe(int(sys.argv[2]), int(sys.argv[3])).serve(ATTACKS[sys.argv[1]])
