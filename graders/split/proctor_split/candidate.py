"""The candidate's half: a Peer whose objects are the artifact's, and the passengers that carry its output and warnings."""

import io
import logging
import os
import sys
import time
import warnings

from .files import FilePassenger
from .link import Link
from .operations import FOR_EXAMINER, look_up
from .peer import Peer

OUTPUT_CHARACTERS = 1 << 20


class _CandidatePeer(Peer):
    loop = None
    home = None

    def owns_module(self, name):
        return True


class OutputPassenger:
    """Text that the artifact prints, in order, for the examiner's own sys.stdout and sys.stderr."""

    def __init__(self):
        self.parts = []
        self.size = 0
        self._sent = []

    def add(self, stream, text):
        """Keeps text for the next message; more than the bound is dropped with a mark."""
        if self.size > OUTPUT_CHARACTERS:
            return
        self.size += len(text)
        self.parts.append([stream, text if self.size <= OUTPUT_CHARACTERS else "[more output was dropped]"])

    def board(self, extras):
        """Puts the text into a message."""
        if self.parts:
            self._sent, self.parts, self.size = self.parts, [], 0
            extras["o"] = self._sent

    def stay(self):
        """The message was not sent."""
        self.parts, self._sent = self._sent + self.parts, []

    def alight(self, extras):
        """The examiner sends no output."""


class _Text(io.TextIOBase):
    """Stands for sys.stdout and sys.stderr."""

    encoding = "utf-8"
    errors = "strict"

    def __init__(self, stream, passenger, descriptor):
        self._stream, self._passenger, self._descriptor = stream, passenger, descriptor
        self.buffer = _Bytes(self)

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError("write() argument must be str, not %s" % type(text).__name__)
        self._passenger.add(self._stream, str.__str__(text))
        return len(text)

    def writable(self):
        return True

    def fileno(self):
        return self._descriptor

    def flush(self):
        pass


class _Bytes(io.RawIOBase):
    def __init__(self, text):
        self._text = text

    def write(self, data):
        self._text.write(bytes(data).decode("utf-8", "surrogateescape"))
        return len(data)

    def writable(self):
        return True


class _Records(logging.Handler):
    """Log records for the examiner's loggers of the same names."""

    def __init__(self, peer):
        super().__init__(0)
        self._peer = peer

    def emit(self, record):
        fields = [record.name, record.levelno, record.pathname, record.lineno, record.getMessage(), record.funcName]
        self._peer.request("log", *fields, record.exc_info[1] if record.exc_info else None)


def _set_environment(peer, name, value):
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def _patch(peer, module, names, value, present):
    """Sets or removes an attribute of a module of the standard library, as a test did on its side."""
    target = look_up(module, names[:-1])
    if not present:
        delattr(target, names[-1])
    else:
        setattr(target, names[-1], value)


def _state(peer, what, *arguments):
    """Process-wide state that a test set on its side."""
    if what == "chdir":
        os.chdir(peer.home if arguments[0] is None else arguments[0])
    elif what == "tzset":
        time.tzset()
    elif what == "locale":
        import locale

        locale.setlocale(*arguments)
    elif what == "level":
        logging.getLogger(arguments[0]).setLevel(arguments[1])
    elif what == "disable":
        logging.disable(arguments[0])
    elif what == "seed":
        import random

        random.seed(*arguments)


OPERATIONS = {
    **FOR_EXAMINER,
    "environment": _set_environment,
    "patch": _patch,
    "state": _state,
    "original": lambda peer, module, names: look_up(module, names),
}


def _forward_warnings(peer):
    def show(message, category, filename, lineno, file=None, line=None):
        text = str(message)
        peer.request("warn", message if isinstance(message, Warning) else text, category, filename, lineno)

    warnings.showwarning = show
    warnings.simplefilter("always")


def serve(read_end, write_end):
    """Answers the examiner until it is gone."""
    peer = _CandidatePeer(Link(read_end, write_end), OPERATIONS, 1)
    peer.home = os.getcwd()
    output = OutputPassenger()
    peer.passengers = [output, FilePassenger()]
    sys.stdout = _Text(1, output, 1)
    sys.stderr = _Text(2, output, 2)
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr
    root = logging.getLogger()
    root.addHandler(_Records(peer))
    _forward_warnings(peer)
    peer.serve()
