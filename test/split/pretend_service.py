"""Plays the service for one hidden suite: an examiner and a candidate joined by pipes, in two temporary folders.

No sandbox is made: what runs here must be harmless. Every process that is started is ended by its number.
"""

import os
import selectors
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
GRADERS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "graders")
sys.path.insert(0, os.path.join(GRADERS, "wire"))
import frames  # noqa: E402

OWN_MEMORY = 1_500 * 1024 * 1024


def _limits():
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    resource.setrlimit(resource.RLIMIT_AS, (OWN_MEMORY, OWN_MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (256 * 1024 * 1024, 256 * 1024 * 1024))


class Run:
    """What came of one suite."""

    def __init__(self):
        self.results = {}
        self.duplicates = []
        self.collected = None
        self.done = None
        self.losses = []
        self.seconds = 0.0
        self.exit = None
        self.errors = ""
        self.hidden_after = []
        self.seen = {}  # what the hostile side wrote to its report folder

    def passed(self):
        """The short names of tests that passed."""
        return sorted(name.split("::")[-1] for name, told in self.results.items() if told["status"] == "passed")

    def status(self, name):
        """The status of a test by its short name."""
        return next((told["status"] for key, told in self.results.items() if key.split("::")[-1] == name), "missing")


def write_tree(folder, files):
    """Writes texts by relative path."""
    for path, text in files.items():
        full = os.path.join(folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


def run_suite(tests, artifact=None, raw=None, record=False, known=None, case_ms=4_000, limit=90.0, modules=("solution",)):
    """Runs the hidden `tests` (texts by path) against an artifact's files, or against a raw hostile program (an argv).

    `limit` bounds the run: an examiner that is still busy then is killed, and `done` stays None.
    """
    base = tempfile.mkdtemp(prefix="proctor-attack-")
    try:
        return _run(base, tests, artifact or {}, raw, record, known, case_ms, limit, modules)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _run(base, tests, artifact, raw, record, known, case_ms, limit, modules):
    for name in ("hidden", "artifact", "near", "far", "scratch", "report"):
        os.mkdir(os.path.join(base, name))
    hidden, root, near, far, scratch, report = (
        os.path.join(base, name) for name in ("hidden", "artifact", "near", "far", "scratch", "report")
    )
    write_tree(hidden, tests)
    write_tree(root, artifact)
    to_read, to_write = os.pipe()
    back_read, back_write = os.pipe()
    run = Run()
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8"}

    def candidate():
        ends = [str(to_read), str(back_write)]
        host = os.path.join(GRADERS, "split", "host.py")
        command = [sys.executable, "-I", "-B", host, *ends, root] if raw is None else [*raw, *ends]
        return subprocess.Popen(
            command, pass_fds=(to_read, back_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd=root, env={**environment, "TMPDIR": far, "REPORT": report, "HIDDEN_FOLDER": hidden}, preexec_fn=_limits,
        )

    current = candidate()
    suite = os.path.join(GRADERS, "pytest", "run_suite.py")
    errors = open(os.path.join(base, "errors"), "w+b")
    examiner = subprocess.Popen(
        [sys.executable, "-I", "-B", suite, str(back_read), str(to_write)], pass_fds=(back_read, to_write),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env={**environment, "TMPDIR": near}, preexec_fn=_limits,
    )
    commands, answers = examiner.stdin.fileno(), examiner.stdout.fileno()
    start = time.monotonic()
    told_gone = False
    try:
        frames.write_frame(commands, {"tests": hidden, "modules": list(modules), "roots": [root], "caseMs": case_ms, "scratch": scratch,
                                      "record": record, "known": known, "arguments": []})
        waiting = selectors.DefaultSelector()
        waiting.register(answers, selectors.EVENT_READ)
        while time.monotonic() - start < limit:
            if not waiting.select(0.05):
                if not told_gone and current.poll() is not None:
                    told_gone = True
                    frames.write_frame(commands, {"gone": True})
                continue
            message = frames.read_frame(answers)
            kind = message["kind"]
            if kind == "result":
                if message["id"] in run.results:
                    run.duplicates.append(message["id"])
                run.results[message["id"]] = message
            elif kind == "collected":
                run.collected = message
            elif kind == "lost":
                run.losses.append(message["why"])
                current.kill()
                current.wait()
                _drain(to_read)
                current, told_gone = candidate(), False
                frames.write_frame(commands, {"renewed": True})
            elif kind == "done":
                run.done = message
                break
    except (frames.Closed, BrokenPipeError, ConnectionError):
        pass
    finally:
        run.seconds = time.monotonic() - start
        examiner.kill()
        current.kill()
        run.exit = examiner.wait()
        current.wait()
        for end in (to_read, to_write, back_read, back_write):
            os.close(end)
        errors.seek(0)
        run.errors = errors.read()[-6_000:].decode("utf-8", "replace")
        errors.close()
    for name in os.listdir(report):
        with open(os.path.join(report, name), encoding="utf-8", errors="replace") as file:
            run.seen[name] = file.read(100_000)
    run.hidden_after = sorted(os.listdir(hidden))
    return run


def _drain(descriptor):
    os.set_blocking(descriptor, False)
    try:
        while os.read(descriptor, 1 << 16):
            pass
    except BlockingIOError:
        pass
    os.set_blocking(descriptor, True)


def known_of(run):
    """What a run of the reference recorded, as the settings of a later run want it."""
    return {name: {"words": told["words"], "uses": told.get("uses", [])} for name, told in run.results.items()}
