"""One side of the link: asks the other side, and answers what it asks back in the meantime.

A message is [operation, extras, number, arguments...]; an answer is ["=", extras, number, value] or ["!", extras, number,
exception] with the number of the question. Extras carry changes of shared containers, references that are no longer needed,
output, and whatever a passenger adds. Exactly one side speaks at a time, but with several threads answers may overtake.
"""

import threading

from . import failures
from .codec import Codec, dumps, loads
from .link import Lost
from .mirror import PEERS, MirrorMeta, ref_of
from .refs import Refs
from .refused import Refused
from .shared import SharedContainers

DEEPEST = 150
_PLAIN_TYPES = frozenset([type(None), bool, int, float, complex, str, bytes, tuple, frozenset, list, dict, set, bytearray])


_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError, ArithmeticError, MemoryError)


def _unknown(peer, *arguments):
    raise Refused("this cannot be asked of the other side")


class Peer:
    """`operations` is a table of what the other side may ask for; `words` is the examiner's count of beliefs, else None."""

    def __init__(self, link, operations, first_number, words=None):
        self.link = link
        self.check_form = None
        self.tests = None
        self.handing = None
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
        self._asked = 0
        self._awaited = set()
        self._early = {}
        self._speaking = threading.Lock()
        self._speaker = None
        PEERS.append(self)

    def request(self, operation, *arguments):
        """Asks the other side; gives its answer, or raises what it raised, Lost, or Refused for what is not carried."""
        if self.depth >= DEEPEST:
            raise RecursionError("calls across the link are nested too deeply")
        if self._speaker == threading.get_ident():
            raise Refused("code that runs while a value is being carried cannot use the other side")
        self._take_turn()
        try:
            return self._ask(operation, arguments)
        finally:
            self._end_turn()

    def _ask(self, operation, arguments):
        self.depth += 1
        self.calls_back += 1
        self._asked += 1
        number = self._asked
        self._awaited.add(number)
        self.refs.handing = True
        try:
            self._send(operation, number, arguments)
            return self._await_answer(number)
        finally:
            self._awaited.discard(number)
            self.depth -= 1

    def serve(self):
        """Answers requests until the link is lost."""
        self._take_turn()
        try:
            while True:
                self._answer(self._receive())
        except Lost:
            return

    def _take_turn(self):
        """A thread holds the turn while it speaks or listens, never while it runs anybody's code: then others may speak."""
        self._speaking.acquire()
        self._speaker = threading.get_ident()

    def _end_turn(self):
        self._speaker = None
        self._speaking.release()

    def is_theirs(self, value):
        """Whether a value is a stand-in for an object of the other side."""
        return ref_of(value) is not None

    def is_plain(self, value):
        """Whether a value is of a built-in or standard type that travels by value."""
        return type(value) in _PLAIN_TYPES or (not isinstance(type(value), MirrorMeta) and self.codec.is_value(value))

    def goes_by_value(self, value):
        """Whether a value and what it holds, one level deep, is carried whole."""
        if type(value) in (tuple, list):
            return all(type(item) in _PLAIN_TYPES or self.codec.is_value(item) for item in value)
        return type(value) in _PLAIN_TYPES or self.codec.is_value(value)

    def owns_module(self, name):
        """Whether a module may be shown as a module; the candidate's side says yes."""
        return False

    def find_again(self, ref):
        """Gives a reference to something of a lost process its successor's number, when it has a name to be found by."""
        if ref.origin is None:
            raise Refused("it belonged to a process of the candidate's that was lost")
        if callable(ref.origin):
            ref.origin()
            return
        number = self.ask_now("find", ref.origin)
        if type(number) is not int:
            raise self.link.lose("protocol", "not a number")
        ref.number, ref.count, ref.epoch = number, 1, self.epoch

    def ask_now(self, operation, arguments):
        """Asks while another message is being made, and so with the turn in hand."""
        return self._ask(operation, arguments)

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
        self._early.clear()
        self.link.renew()

    def _await_answer(self, number):
        while number not in self._early:
            message = self._receive()
            if message[0] not in ("=", "!"):
                self._answer(message)
                continue
            if message[2] not in self._awaited or message[2] in self._early:
                raise self.link.lose("protocol", "an answer to nothing")
            self._early[message[2]] = (message[0], self._decode(message[3]))
            self.shared.settle()
        kind, value = self._early.pop(number)
        if kind == "=":
            return value
        if not isinstance(value, BaseException):
            raise self.link.lose("protocol", "not an exception")
        value.__traceback__ = None
        raise value

    def _answer(self, message):
        kind, value = self._run(message)
        # what a mock gives was made by the test's own mock, however it was asked for
        given = self.handing is None or message[0] in self.handing or type(value).__module__ == "unittest.mock"
        self.refs.handing = kind == "=" and given
        try:
            self._send(kind, message[2], (value,))
        except (TypeError, ValueError, RecursionError) as error:
            self.refs.handing = False
            self._send("!", message[2], (failures.told_as(error, value),))
        finally:
            del value

    def _run(self, message):
        try:
            operation = self.operations.get(message[0], _unknown)
            if self.check_form is not None:
                self._check(message)
            arguments = [self._decode(form) for form in message[3:]]
        except Refused as error:
            self.shared.settle()
            return "!", error
        self.shared.settle()
        self._end_turn()
        try:
            return "=", operation(self, *arguments)
        except Lost:
            raise
        except BaseException as error:
            failures.prepare(error)
            return "!", error
        finally:
            self._take_turn()

    def _check(self, message):
        if message[0] in ("warn", "log"):
            return
        try:
            self.check_form(message)
        except (LookupError, TypeError) as error:
            if isinstance(error, Refused):
                raise
            raise self.link.lose("protocol", "not a request") from None

    def _send(self, operation, number, arguments):
        """Sends one message, or nothing: what cannot be carried leaves both sides in step."""
        released, self.released = self.released, []
        try:
            body = dumps(self._message(operation, number, arguments, released))
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

    def _message(self, operation, number, arguments, released):
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
        return [operation, extras or 0, number, *map(codec.encode, arguments)]

    def _receive(self):
        body = self.link.receive()
        try:
            message = loads(body)
            extras = message[1]
            if extras:
                self._take(extras)
            if type(message[0]) is not str or type(message[2]) is not int:
                raise ValueError("not a message")
            return message
        except _UNREADABLE as error:
            raise self.link.lose("protocol", "%s: %.200s" % (type(error).__name__, error)) from None

    def _take(self, extras):
        for number, count in extras.get("r", ()):
            self.refs.release(number, count)
        for passenger in self.passengers:
            passenger.alight(extras)
        for number, forms in extras.get("u", ()):
            value = self.shared.find(number)
            if self.words is None or self.words.may_change():
                self.codec.decode_members(value, forms)
                self.shared.touch(number)

    def _decode(self, form):
        try:
            return self.codec.decode(form)
        except Refused:
            raise
        except _UNREADABLE as error:
            why = "%s: %.200s" % (type(error).__name__, error)
            if self.tests is None:  # the examiner keeps to the protocol: this is something that cannot be made here
                raise Refused(why) from None
            raise self.link.lose("protocol", why) from None
