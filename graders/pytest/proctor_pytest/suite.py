"""Runs one hidden suite: the plugins, the trusted configuration, and nothing that the artifact brings."""

import os
import sys

import frames
import pytest

from .examiner_peer import ExaminerPeer
from .finder import ArtifactFinder
from .no_code import keep_code_out
from .plugin import ResultPlugin
from .state import forward_state

EMPTY_CONFIGURATION = "[pytest]\n"


def run(control, link_ends):
    """Runs the suite that the service names, and tells it what came of each test."""
    read_end, write_end = control
    settings = frames.read_frame(read_end)
    peer = ExaminerPeer(*link_ends, read_end, settings["tests"])
    if settings["record"]:
        peer.note_results()
    finder = ArtifactFinder(peer, settings["modules"])
    sys.meta_path.insert(0, finder)

    def tell(message):
        frames.write_frame(write_end, message)

    def renew(lost):
        tell({"kind": "lost", "why": lost.why})
        while True:
            answer = frames.read_frame(read_end)
            if "renewed" in answer:
                break
        if not answer["renewed"]:
            os._exit(3)
        peer.renew()
        peer.files.renew()

    folder = settings["tests"]
    os.environ["PYTHONPATH"] = os.pathsep.join(settings["roots"])
    peer.link.deadline = peer.link.clock() + 30
    os.chdir(folder)
    forward_state(peer, folder)
    sys.path.insert(0, folder)
    testing = [False]
    keep_code_out(folder, os.environ.get("TMPDIR", "/tmp"), lambda: testing[0])
    plugin = ResultPlugin(peer, settings, (tell, renew), testing)
    code = pytest.main([*_arguments(folder, settings), folder], plugins=[plugin])
    tell({"kind": "done", "exit": int(code), "asked": finder.asked})


def _arguments(folder, settings):
    own = os.path.join(folder, "pytest.ini")
    if not os.path.exists(own):
        own = os.path.join(settings["scratch"], "pytest.ini")
        with open(own, "w", encoding="ascii") as file:
            file.write(EMPTY_CONFIGURATION)
    return ["-c", own, "--rootdir", folder, "-p", "no:cacheprovider", "-q", "--no-header", "--tb=short", "--continue-on-collection-errors",
            "-W", "ignore::pytest.PytestConfigWarning", *settings.get("arguments", [])]
