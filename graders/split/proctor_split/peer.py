"""One side of the link: asks the other side, and answers what it asks back in the meantime.

A message is [operation, extras, number, arguments...]; an answer is ["=", extras, number, value] or ["!", extras, number,
exception] with the number of the question. Extras carry changes of shared containers, references that are no longer needed,
output, and whatever a passenger adds. Exactly one side speaks at a time, but with several threads answers may overtake.
"""

import itertools
import threading

from . import failures
from .codec import Codec
from .link import Lost
from .messages import Messages
from .ref import PEERS
from .remote import ref_of
from .refs import Refs
from .refused import Refused
from .shared import SharedContainers
from .signatures import made_signature

DEEPEST = 150


def _unknown(peer, *arguments):
    raise Refused("this cannot be asked of the other side")


class Peer(Messages):
    """`operations` is a table of what the other side may ask for; `words` is the examiner's count of beliefs, else None."""

    def __init__(self, link, operations, first_number, words=None):
        super().__init__()
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
        self.asked = 0
        self._awaited = set()
        self._early = {}
        PEERS.append(self)

    def request(self, operation, *arguments):
        """Asks the other side; gives its answer, or raises what it raised, Lost, or Refused for what is not carried."""
        if self.depth >= DEEPEST:
            raise RecursionError("calls across the link are nested too deeply")
        if self._speaker == threading.get_ident():
            raise Refused("code that runs while a value is being carried cannot use the other side")
        self._take_turn()
        try:
            return self.ask_now(operation, arguments)
        finally:
            self._end_turn()

    def ask_now(self, operation, arguments):
        """Asks with the turn in hand: for `request`, or while another message is being made."""
        self.depth += 1
        self.calls_back += 1
        self.asked += 1
        number = self.asked
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

    def is_theirs(self, value):
        """Whether a value is a stand-in for an object of the other side."""
        return ref_of(value) is not None

    def is_plain(self, value):
        """Whether a value is of a built-in or standard type that travels by value."""
        return self.codec.is_value(value)

    def goes_by_value(self, value):
        """Whether a value and what it holds, one level deep, is carried whole."""
        return all(map(self.is_plain, value)) if type(value) in (tuple, list) else self.is_plain(value)

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
        ref.bind(number)

    def put_back(self, number, items):
        """Puts items that were read ahead back in front of an iterator of this side."""
        iterator = itertools.chain(items, self.refs.shown(number))
        self.refs.replace(number, iterator)
        return iterator

    def signature(self, function):
        """The shape of a function of the other side, as an inspect.Signature; the defaults of the tests' are not shown."""
        return made_signature(*self.request("signature", function))

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
