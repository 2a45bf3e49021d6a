"""The examiner's half of the link: what the candidate may ask of it, and what comes along with its messages."""

import logging
import sys
import warnings

from proctor_split.files import FilePassenger
from proctor_split.guard import FOR_CANDIDATE, HANDING, bound_method, check_form
from proctor_split.link import Lost
from proctor_split.peer import Peer
from proctor_split.permission import TestModules
from proctor_split.word import FILE_CHANGES, Words

OUTPUT_CHARACTERS = 1 << 21
ALL_OUTPUT_CHARACTERS = 1 << 25
MOST_LOGGERS = 500
MOST_RECORDS = 100_000
TEXT_CHARACTERS = 10_000


class OutputPassenger:
    """Writes what the artifact printed to this process's own streams, as `capsys` and redirections have them just now."""

    def __init__(self):
        self._left = ALL_OUTPUT_CHARACTERS

    def board(self, extras):
        """Nothing to tell."""

    def stay(self):
        """Nothing was told."""

    def alight(self, extras):
        """Writes the text of a message."""
        for stream, text in extras.get("o", ()):
            if type(text) is not str or len(text) > OUTPUT_CHARACTERS:
                raise ValueError("not output")
            self._left -= len(text)
            if self._left < 0:
                raise ValueError("more output than a suite may see")
            (sys.stdout if stream == 1 else sys.stderr).write(text)


def _warn(peer, message, category, filename, lineno):
    if not (isinstance(category, type) and issubclass(category, Warning)):
        raise TypeError("category must be a Warning subclass")
    if not isinstance(message, Warning):
        message = category(str(message)[:TEXT_CHARACTERS])
    warnings.warn_explicit(message, category, str(filename)[:TEXT_CHARACTERS], int(lineno), registry={})


def _log(peer, name, level, path, line, message, function, error):
    peer.logged += 1
    name = str(name)[:200]
    if peer.logged > MOST_RECORDS or (name not in peer.loggers and len(peer.loggers) >= MOST_LOGGERS):
        return
    peer.loggers.add(name)
    logger = logging.getLogger(name)
    if logger.isEnabledFor(int(level)):
        record = logger.makeRecord(
            *(logger.name, int(level), str(path)[:500], int(line), str(message)[:TEXT_CHARACTERS], (), None),
            func=str(function)[:200],
        )
        if isinstance(error, BaseException):
            record.exc_info = (type(error), error, None)
        logger.handle(record)


class NotYet(BaseException):
    """There is no candidate yet: the suite cannot be prepared up to here."""


class _NoLink:
    def __getattr__(self, name):
        raise NotYet


class ExaminerPeer(Peer):
    """Everything that the tests see of the artifact comes from here, once it has a `link`."""

    loop = None

    def __init__(self, tests, link=None):
        operations = {**FOR_CANDIDATE, "warn": _warn, "log": _log}
        super().__init__(link or _NoLink(), operations, 2, Words())
        self.tests = TestModules(tests)
        self.check_form = check_form
        self.handing = HANDING
        self.finished = False
        self.logged = 0
        self.loggers = set()
        self.files = FilePassenger(may_change=lambda: self.words.may_change(FILE_CHANGES))
        self.passengers = [OutputPassenger(), self.files]

    def bound_method(self, value, name):
        """A method of an object of the tests', as the candidate hands it back."""
        return bound_method(self, value, name)

    def note_results(self):
        """From now on what the candidate gives to the tests is counted by its shape."""
        ask = self.request

        def noting(operation, *arguments):
            value = ask(operation, *arguments)
            if self.depth == 0:
                self.words.gave(self._shape(value))
            return value

        self.request = noting

    def _shape(self, value):
        """`plain int`, or `handle shop.Cart` for what stays with the candidate."""
        cls = type(value)
        name, module = (type.__dict__[key].__get__(cls) for key in ("__name__", "__module__"))
        return "%s %s" % ("handle" if self.is_theirs(value) else "plain", name if module == "builtins" else "%s.%s" % (module, name))

    def tell(self, operation, *arguments):
        """Asks for something whose refusal changes nothing here; a lost link stays silent until the next question."""
        if self.finished or self.link.lost is not None:
            return
        try:
            self.request(operation, *arguments)
        except Lost:
            return  # seen by whoever runs the tests, at the end of this one
