"""Runs one hidden suite: the plugins, the trusted configuration, and nothing that the artifact brings."""

import os
import sys

import frames
import pytest
from proctor_split.link import Link

from .examiner_peer import ExaminerPeer
from .finder import ArtifactFinder
from .no_code import keep_code_out
from .plugin import ResultPlugin
from .state import forward_state

EMPTY_CONFIGURATION = "[pytest]\n"
START_SECONDS = 30


class Suite:
    """One run of a suite: made for the suite alone, then joined to the service and a candidate."""

    def __init__(self, told):
        """`told` has what the suite is: tests, modules, roots, scratch."""
        self.folder = told["tests"]
        self._told = told
        self._chdir = os.chdir
        self._peer = ExaminerPeer(self.folder)
        self.finder = ArtifactFinder(self._peer, told["modules"])
        sys.meta_path.insert(0, self.finder)
        os.environ["PYTHONPATH"] = os.pathsep.join(told["roots"])
        self._chdir(self.folder)
        forward_state(self._peer, self.folder)
        sys.path.insert(0, self.folder)
        self._testing = [False]
        keep_code_out(self.folder, os.environ.get("TMPDIR", "/tmp"), lambda: self._testing[0])
        self.plugin = ResultPlugin(self._peer, self._testing)

    def join(self, control, link_ends, settings):
        """Joins it to the service's end and the candidate's, with what the grade asks for: caseMs, record, known."""
        read_end, self._write_end = control
        self._read_end = read_end
        self._peer.link = Link(*link_ends, read_end)
        self._peer.link.deadline = self._peer.link.clock() + START_SECONDS
        if settings["record"]:
            self._peer.note_results()
        self._chdir(self.folder)
        self.plugin.join(settings, (self._tell, self._renew))

    def run(self, *plugins):
        """Runs pytest, and tells how that ended."""
        code = pytest.main(arguments(self.folder, self._told), plugins=[self.plugin, *plugins])
        self._tell({"kind": "done", "exit": int(code), "asked": self.finder.asked})

    def _tell(self, message):
        frames.write_frame(self._write_end, message)

    def _renew(self, lost):
        self._tell({"kind": "lost", "why": lost.why})
        while True:
            answer = frames.read_frame(self._read_end)
            if "renewed" in answer:
                break
        if not answer["renewed"]:
            os._exit(3)
        self._peer.renew()
        self._peer.files.renew()


def run(enter):
    """Runs the suite that the service names. `enter` gives the service's end and the candidate's."""
    control, link_ends = enter()
    settings = frames.read_frame(control[0])
    suite = Suite(settings)
    suite.join(control, link_ends, settings)
    suite.run()


def arguments(folder, told):
    """Trusted configuration only: the suite's own, or none."""
    own = os.path.join(folder, "pytest.ini")
    if not os.path.exists(own):
        own = os.path.join(told["scratch"], "pytest.ini")
        with open(own, "w", encoding="ascii") as file:
            file.write(EMPTY_CONFIGURATION)
    return ["-c", own, "--rootdir", folder, "-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=sys", "-q", "--no-header", "--tb=short",
            "--continue-on-collection-errors", "-W", "ignore::pytest.PytestConfigWarning", folder]
