#!/usr/bin/python3
"""Run the suites of packages.json in-process, as a plain pytest run would.

    /usr/bin/python3 scripts/compat/baseline.py [--bug] [--twice] [NAME ...]

Prints JSON: {package: {passed, failed, errors, skipped, seconds}}; with --bug
also `bug`: the same run with the seeded bug applied and the tests it breaks;
with --twice also `unstable`: what two runs disagree about.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import fetch  # noqa: E402

TIMEOUT = 600
# Runs in the test process. The recorder lives in this string, not in a module,
# so that PYTHONPATH holds the package under test and nothing else.
RUNNER = """\
import json, os, sys

class Recorder:
    def __init__(self):
        self.tests, self.errors = {}, []

    def pytest_runtest_logreport(self, report):
        odd = hasattr(report, "wasxfail")
        if report.failed:
            self.tests[report.nodeid] = "failed"
        elif report.skipped or odd:
            self.tests.setdefault(report.nodeid, "skipped")
        elif report.when == "call":
            self.tests.setdefault(report.nodeid, "passed")

    def pytest_collectreport(self, report):
        if report.failed:
            self.errors.append(report.nodeid)

recorder = Recorder()
out = sys.argv.pop(1)
import pytest
code = pytest.main(sys.argv[1:], plugins=[recorder])
with open(out, "w", encoding="utf-8") as stream:
    json.dump({"code": int(code), "tests": recorder.tests, "errors": recorder.errors}, stream)
"""


def apply_bug(artifact, bug):
    """Put the seeded bug into an artifact folder."""
    path = pathlib.Path(artifact, bug["file"])
    text = path.read_text("utf-8")
    count = text.count(bug["find"])
    if count != 1:
        raise fetch.Problem(f"{bug['file']}: expected one occurrence of the bug's place, found {count}")
    path.write_text(text.replace(bug["find"], bug["replace"]), "utf-8")


def run(cache, entry, bug=False):
    """One in-process run in a fresh folder."""
    home = pathlib.Path(cache, entry["name"])
    with tempfile.TemporaryDirectory(prefix="compat-") as folder:
        base = pathlib.Path(folder)
        shutil.copytree(home / "artifact", base / "artifact")
        shutil.copytree(home / "tests", base / "suite")
        (base / "home").mkdir()
        if bug:
            apply_bug(base / "artifact", entry["bug"])
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(base / "home"),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(base / "artifact"),
            "PYTHONNOUSERSITE": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [
            "/usr/bin/python3", "-B", "-c", RUNNER, str(base / "result.json"),
            "-p", "no:cacheprovider", "-q", f"--rootdir={base / 'suite'}", "--tb=short",
            "--continue-on-collection-errors",
        ]
        for left in entry["deselect"]:
            command += ["--deselect", left["id"]]
        command += sorted(name.name for name in (base / "suite").iterdir())
        started = time.monotonic()
        with open(base / "output.txt", "w+b") as output:
            try:
                subprocess.run(
                    command, cwd=base / "suite", env=environment, stdin=subprocess.DEVNULL,
                    stdout=output, stderr=subprocess.STDOUT, timeout=TIMEOUT,
                )
            except subprocess.TimeoutExpired:
                raise fetch.Problem(f"{entry['name']}: the suite did not end in {TIMEOUT} s") from None
            seconds = time.monotonic() - started
            output.seek(0)
            text = output.read().decode("utf-8", "replace")
        try:
            result = json.loads((base / "result.json").read_text("utf-8"))
        except OSError:
            raise fetch.Problem(f"{entry['name']}: pytest died: {text[-2000:]}") from None
    if os.environ.get("COMPAT_OUTPUT"):
        fetch.say(text)
    tests = result["tests"]
    return {
        "passed": sorted(name for name, state in tests.items() if state == "passed"),
        "failed": sorted(name for name, state in tests.items() if state == "failed"),
        "errors": sorted(result["errors"]),
        "skipped": sum(state == "skipped" for state in tests.values()),
        "seconds": round(seconds, 2),
    }


def compare(first, second):
    """The ids on which two runs disagree."""
    states = [
        {name: state for state in ("passed", "failed") for name in result[state]}
        for result in (first, second)
    ]
    return sorted(
        name for name in set(states[0]) | set(states[1]) if states[0].get(name) != states[1].get(name)
    )


def measure(cache, entry, bug=False, twice=False):
    result = run(cache, entry)
    if twice:
        result["unstable"] = compare(result, run(cache, entry))
    note = ""
    if bug:
        broken = run(cache, entry, bug=True)
        passing = set(broken["passed"])
        broken["broken"] = [name for name in result["passed"] if name not in passing]
        result["bug"] = broken
        note = f", {len(broken['broken'])} broken by the bug"
    fetch.say(
        f"{entry['name']}: {len(result['passed'])} passed, {len(result['failed'])} failed, "
        f"{len(result['errors'])} not collected, {result['skipped']} skipped "
        f"in {result['seconds']} s{note}"
    )
    for name in result.get("unstable", ()):
        fetch.say(f"{entry['name']}: two runs disagree: {name}")
    return result


def main():
    parser = argparse.ArgumentParser(description="Run the real-world suites in-process.")
    parser.add_argument("--cache", type=pathlib.Path, default=fetch.DEFAULT_CACHE)
    parser.add_argument("--bug", action="store_true", help="run with the seeded bug, too")
    parser.add_argument("--twice", action="store_true", help="run twice and compare")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these packages")
    arguments = parser.parse_args()
    try:
        entries = fetch.fetch(arguments.cache, arguments.names)
        results = {
            entry["name"]: measure(arguments.cache, entry, arguments.bug, arguments.twice)
            for entry in entries
        }
    except fetch.Problem as problem:
        fetch.say(f"baseline: {problem}")
        return 1
    json.dump(results, sys.stdout, indent=1)
    print()
    failed = [
        name for name, result in results.items()
        if not result["passed"]
        or result.get("unstable")
        or ("bug" in result and not result["bug"]["broken"])
    ]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
