"""One side of the link: asks the other side, and answers what it asks back in the meantime.

A message is [operation, extras, arguments...]; an answer is ["=", extras, value] or ["!", extras, exception]. Extras carry
changes of shared containers, references that are no longer needed, output, and whatever a `Passenger` adds. Exactly one
side speaks at a time.
"""

import threading

from . import failures
from .codec import Codec, Refused, dumps, loads
from .link import Lost
from .mirror import PEERS, MirrorMeta, ref_of
from .refs import Refs
from .shared import SharedContainers

DEEPEST = 150
_PLAIN_TYPES = frozenset([type(None), bool, int, float, complex, str, bytes, tuple, frozenset, list, dict, set, bytearray])


def _unknown(peer, *arguments):
    raise Refused("this cannot be asked of the other side")


class Peer:
    """`operations` is a table of what the other side may ask for; `words` is the examiner's count of beliefs, else None."""

    def __init__(self, link, operations, first_number, words=None):
        self.link = link
        self.operations = operations
        self.words = words
        self.epoch = 0
        self.released = []
        self.shared = SharedContainers(first_number)
        self.refs = Refs(self)
        self.codec = Codec(self.shared, self.refs)
        self.refs.codec = self.codec
        self.passengers = []
        self.depth = 0
        self.calls_back = 0
        self.pending = {}
        self._lock = threading.RLock()
        PEERS.append(self)

    def request(self, operation, *arguments):
        """Asks the other side; gives its answer, or raises what it raised, Lost, or Refused for what is not carried."""
        with self._lock:
            if self.depth >= DEEPEST:
                raise RecursionError("calls across the link are nested too deeply")
            self.depth += 1
            self.calls_back += 1
            try:
                self._send(operation, arguments)
                return self._await_answer()
            finally:
                self.depth -= 1

    def serve(self):
        """Answers requests until the link is lost."""
        while True:
            try:
                message = self._receive()
            except Lost:
                return
            self._answer(message)

    def is_theirs(self, value):
        """Whether a value is a stand-in for an object of the other side."""
        return ref_of(value) is not None

    def is_plain(self, value):
        """Whether a value is of a built-in or standard type that travels by value."""
        return type(value) in _PLAIN_TYPES or (not isinstance(type(value), MirrorMeta) and self.codec.is_value(value))

    def owns_module(self, name):
        """Whether a module may be shown as a module; the candidate's side says yes."""
        return False

    def find_again(self, ref):
        """Gives a reference to something of a lost process its successor's number, when it has a name to be found by."""
        if ref.origin is None:
            raise Refused("it belonged to a process of the candidate's that was lost")
        number = self.request("find", *ref.origin)
        if type(number) is not int:
            raise self.link.lose("protocol", "not a number")
        ref.number, ref.count, ref.epoch = number, 1, self.epoch

    def put_back(self, number, items):
        """Puts items that were read ahead back in front of an iterator of this side."""
        import itertools

        entry = self.refs._shown[number]
        iterator = itertools.chain(items, entry[0])
        self.refs._numbers.pop(id(entry[0]), None)
        self.refs._numbers[id(iterator)] = number
        entry[0] = iterator
        return iterator

    def signature(self, function):
        """The shape of a function of the other side, as an inspect.Signature; the defaults of the tests' are not shown."""
        import inspect

        empty = inspect.Parameter.empty
        parameters, returned = self.request("signature", function)
        kinds = list(inspect._ParameterKind)
        made = [
            inspect.Parameter(name, kinds[kind], default=(default or [empty])[0], annotation=(annotation or [empty])[0])
            for name, kind, default, annotation in parameters
        ]
        return inspect.Signature(made, return_annotation=(returned or [empty])[0])

    def renew(self):
        """The other side is a new process."""
        self.epoch += 1
        self.released.clear()
        self.shared.clear()
        self.refs.forget_theirs()
        self.pending.clear()
        self.depth = 0
        self.link.renew()

    def _await_answer(self):
        while True:
            message = self._receive()
            kind = message[0]
            if kind == "=":
                value = self._decode(message[2])
                self.shared.settle()
                return value
            if kind == "!":
                error = self._decode(message[2])
                self.shared.settle()
                if not isinstance(error, BaseException):
                    raise self.link.lose("protocol", "not an exception")
                error.__traceback__ = None
                raise error
            self._answer(message)

    def _answer(self, message):
        try:
            operation = self.operations.get(message[0], _unknown)
            arguments = [self._decode(form) for form in message[2:]]
            self.shared.settle()
            value = operation(self, *arguments)
            return self._send("=", (value,))
        except Lost:
            raise
        except BaseException as error:
            caught = error
        try:
            self._send("!", (caught,))
        except (TypeError, ValueError, RecursionError) as error:
            self._send("!", (RuntimeError("%s: %s" % (type(caught).__name__, error)),))
        finally:
            del caught

    def _send(self, operation, arguments):
        """Sends one message, or nothing: what cannot be carried leaves both sides in step."""
        released, self.released = self.released, []
        try:
            body = dumps(self._message(operation, arguments, released))
            self.link.send(body)
        except (TypeError, ValueError, RecursionError) as error:
            self.released = released + self.released
            self.shared.undo()
            self.refs.undo()
            for passenger in self.passengers:
                passenger.stay()
            raise Refused("nested too deeply to be carried" if type(error) is RecursionError else str(error)) from None
        self.shared.settle()
        self.refs.settle()

    def _message(self, operation, arguments, released):
        codec = self.codec
        extras = {}
        if self.shared:
            changes = self.shared.changed()
            if changes:
                extras["u"] = [[entry.number, codec.members(entry.value, entry.kind)] for entry in changes]
        if released:
            extras["r"] = released
        for passenger in self.passengers:
            passenger.board(extras)
        return [operation, extras or 0, *map(codec.encode, arguments)]

    def _receive(self):
        body = self.link.receive()
        try:
            message = loads(body)
            extras = message[1]
            if extras:
                self._take(extras)
            if type(message[0]) is not str:
                raise ValueError("not a message")
            return message
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, ArithmeticError) as error:
            import traceback; traceback.print_exc(file=open("/tmp/split.log","a"))  # DEV
            raise self.link.lose("protocol", "%s: %.200s" % (type(error).__name__, error)) from None

    def _take(self, extras):
        for number, count in extras.get("r", ()):
            self.refs.release(number, count)
        for passenger in self.passengers:
            passenger.alight(extras)
        for number, forms in extras.get("u", ()):
            value = self.shared.find(number)
            self.codec.decode_members(value, forms)
            self.shared.touch(number)

    def _decode(self, form):
        try:
            return self.codec.decode(form)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, ArithmeticError, MemoryError) as error:
            import traceback; traceback.print_exc(file=open("/tmp/split.log","a"))  # DEV
            raise self.link.lose("protocol", "%s: %.200s" % (type(error).__name__, error)) from None
