"""Runs hidden pytest files in the candidate's sandbox, in the process that also imports the artifact.

    python3 -I -B run_pytest.py

The settings come as one frame on standard input, results go out as frames (see ../wire/frames.py) on a copy of standard
output that has a number nobody can foresee; what the candidate prints goes to standard error:

    <- {"nonce": text, "tests": folder, "files": [...], "roots": [...]}
    -> {"kind": "result", "id": ..., "status": ..., "note": ..., "wallMs": n}
    -> {"kind": "done", "exit": n, "nonce": text}     after the last test only

Everything here can be reached by the candidate's code; see docs/decisions/0009-witnessed-runs.md for what holds.
"""

import fcntl
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NOTE_LENGTH = 800


def private_output():
    """Moves standard output to a descriptor of random number, and closes standard input."""
    lowest = random.SystemRandom().randrange(64, 900)
    private = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, lowest)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return private


def teller(write_frame, descriptor):
    """A pytest plugin that tells each test's result once it is known."""
    phases = {}

    def status_of(reports):
        if any(report.failed for report in reports):
            return "failed"
        if any(report.skipped or hasattr(report, "wasxfail") for report in reports):
            return "skipped"
        return "passed" if len(reports) == 3 else "failed"

    def tell(name, status, note, seconds):
        message = {"kind": "result", "id": name[:3000], "status": status, "note": note[-NOTE_LENGTH:], "wallMs": seconds * 1000}
        write_frame(descriptor, message)

    class Teller:
        def pytest_runtest_logreport(self, report):
            reports = phases.setdefault(report.nodeid, [])
            reports.append(report)
            if report.when != "teardown":
                return
            notes = [report.longreprtext for report in reports if report.failed]
            seconds = sum(report.duration for report in reports)
            tell(report.nodeid, status_of(phases.pop(report.nodeid)), "\n".join(notes), seconds)

        def pytest_collectreport(self, report):
            if report.failed:
                tell(report.nodeid + "::", "failed", "cannot be collected: " + report.longreprtext, 0.0)

    return Teller()


def main():
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "wire"))
    import frames

    del sys.path[0]
    leave = os._exit
    settings = frames.read_frame(0)
    descriptor = private_output()
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    import pytest

    sys.path += [settings["tests"], *settings["roots"]]
    sys.argv[:] = ["pytest"]
    tests = settings["tests"]
    arguments = ["-c", os.path.join(HERE, "pytest.ini"), "--rootdir", tests, "--confcutdir", tests]
    arguments += ["--import-mode=importlib", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-q", "--tb=short"]
    arguments += [os.path.join(tests, name) for name in settings["files"]]
    write_frame = frames.write_frame
    exit_code = int(pytest.main(arguments, plugins=[teller(write_frame, descriptor)]))
    write_frame(descriptor, {"kind": "done", "exit": exit_code, "nonce": settings["nonce"]})
    leave(exit_code)


if __name__ == "__main__":
    main()
