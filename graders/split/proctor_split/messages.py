"""Sends and receives the messages of one side: nothing of what cannot be carried is sent, and both sides' tables stay in step."""

import threading

from .codec import dumps, loads
from .refused import Refused
from .word import CHANGES

_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError, ArithmeticError, MemoryError)

_WITH_KEYWORDS = frozenset(["call", "meth", "from", "fromclass", "derive"])


class Messages:
    """For Peer: link, codec, shared, refs, passengers, released, words, tests and check_form are its own."""

    def __init__(self):
        self._speaking = threading.Lock()
        self._speaker = None

    def _take_turn(self):
        """A thread holds the turn while it speaks or listens, never while it runs anybody's code: then others may speak."""
        self._speaking.acquire()
        self._speaker = threading.get_ident()

    def _end_turn(self):
        self._speaker = None
        self._speaking.release()

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
        if operation in _WITH_KEYWORDS:  # made for this one call: nobody else holds it
            *arguments, keywords = arguments
            return [operation, extras or 0, number, *map(codec.encode, arguments), ["d", 0, codec.members(keywords, dict)]]
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
            if self.words is None or self.words.may_change(CHANGES):
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
