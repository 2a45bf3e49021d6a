"""The pytest plugin that tells the service what came of each test, and renews the candidate when it was lost."""

import time

import pytest

from .ahead import is_placeholder, is_theirs

NOTE_LENGTH = 2_000
IMPORT_MS = 5_000
MOST_WORDS = 200


class ResultPlugin:
    """Watches one run; `testing` is [True] in a test."""

    _clock = staticmethod(time.monotonic)  # held by the class: tests replace it in modules

    def __init__(self, peer, testing):
        self._peer = peer
        self._testing = testing
        self._settings = None  # until there is a candidate
        self.time_begins = None  # called instead of giving time, before there is one
        self.problems = []
        self._stages = {}
        self._started = 0.0

    def join(self, settings, service):
        """Of `service`, the first sends a frame, the second asks for a new candidate."""
        self._settings = settings
        self._tell, self._renew = service

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session):
        """Nobody reads what is told on a terminal."""
        session.config.pluginmanager.unregister(name="terminalreporter")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self):
        """What pytest sets back from here on is nobody's business on the other side."""
        self._peer.finished = True

    def pytest_pycollect_makeitem(self, collector, name, obj):
        """The artifact's own classes and functions are no tests, whatever their names."""
        if is_placeholder(obj) or is_theirs(obj):
            return []
        return None

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector):
        """Importing a test file imports the artifact: it has its time, and a lost candidate is replaced."""
        self.give_time()
        outcome = yield
        report = outcome.get_result()
        if report.outcome != "passed":
            self.problems.append({"id": report.nodeid, "note": _note(report)})
        if self._settings is not None and self._peer.link.lost is not None:
            self._replace()

    def give_time(self):
        """For importing what a test file imports, once there is somebody to ask."""
        if self.time_begins is not None:
            self.time_begins()
        if self._settings is not None:
            self._peer.link.deadline = self._clock() + (IMPORT_MS + self._settings["caseMs"]) / 1000

    def pytest_collection_finish(self, session):
        """All tests are known before the first one runs."""
        if self._settings is not None:
            self.tell_collected(session)

    def tell_collected(self, session):
        """Tells which tests there are, and what could not be read."""
        self._tell({"kind": "collected", "ids": [item.nodeid for item in session.items], "problems": self.problems})

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        """One test, from its fixtures to their end, within its time."""
        if self._peer.link.lost is not None:
            self._replace()
        known = self._settings["known"]
        told = None if known is None else known.get(item.nodeid, {})
        profile = (None, None) if told is None else (told.get("words", {}), told.get("uses", []))
        self._peer.words.begin(*profile, self._settings["record"])
        self._peer.files.active = False
        self._stages = {}
        self._started = self._clock()
        self._peer.link.deadline = self._clock() + self._settings["caseMs"] / 1000
        self._testing[0] = True
        yield
        self._testing[0] = False
        self._tell(self._result(item.nodeid))

    def pytest_runtest_logreport(self, report):
        """Keeps the report of one stage; a second one of the same stage spoils the test."""
        self._stages.setdefault(report.when, []).append(report)

    def _result(self, nodeid):
        status, note = self._status()
        lost = self._peer.link.lost
        words = self._peer.words
        if lost is not None:
            status = "timed-out" if lost.why == "late" else "crashed"
            note = {"late": "no answer in time", "closed": "the candidate's process ended"}.get(lost.why, lost.detail)
        elif status == "passed" and words.over is not None:
            status, note = "failed", "the candidate decided where the reference gave a plain value: %s" % words.over
        wall = (self._clock() - self._started) * 1000
        return {
            **{"kind": "result", "id": nodeid, "status": status, "note": note[:NOTE_LENGTH], "wallMs": wall},
            **{"words": dict(sorted(words.taken.items())[:MOST_WORDS]), "uses": sorted(words.used)[:MOST_WORDS]},
            "results": dict(sorted(words.given.items())[:MOST_WORDS]),
        }

    def _status(self):
        reports = [report for reports in self._stages.values() for report in reports]
        if sorted(report.when for report in reports) != ["call", "setup", "teardown"]:
            told = next((report for report in reports if report.outcome != "passed"), None)
            if told is not None and told.outcome == "skipped":
                return "skipped", _note(told)
            return "failed", "not run" if told is None else _note(told)
        for report in reports:
            if hasattr(report, "wasxfail"):
                return "skipped", "expected to fail"
            if report.outcome != "passed":
                return ("skipped" if report.outcome == "skipped" else "failed"), _note(report)
        return "passed", ""

    def _replace(self):
        self._renew(self._peer.link.lost)
        self._peer.link.deadline = self._clock() + IMPORT_MS / 1000


def _note(report):
    text = report.longreprtext if hasattr(report, "longreprtext") else str(report.longrepr)
    return text[-NOTE_LENGTH:]

