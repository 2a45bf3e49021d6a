"""The examiner: draws an instance's hidden cases, knows what is right, and judges answers.

    python3 -I -B examine.py TESTS_FOLDER

It runs in a sandbox of its own, with the task's tests and without the artifact. It never imports, unpickles,
sources or executes anything of the candidate's; answers reach it as plain data. Frames (see wire/frames.py):

    {"op": "draw", "what": "cases" | "examples", "prefix": "case", "grader": "stdio" | "function", "parameters": {...},
     "seed": "...", "maxCases": n}
        -> {"cases": [{"id": "case-1", "request": {...}}, ...]}   or {"failed": "why"}
    {"op": "judge", "id": "case-1", "answer": {...}} and a frame with the answer's bytes
        -> {"id": "case-1", "passed": true | false, "note": "..."}
    {"op": "generate", "parameters": {...}, "seed": "...", "gives": ["name", ...]}
        -> {"values": {...}}   or {"failed": "why"}
    {"op": "digests", "sets": [{...}, ...], "seed": "..."}
        -> {"digests": ["...", ...]}   or {"failed": "why"}
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "wire")]

import frames  # noqa: E402
import traceback  # noqa: E402

from generated_values import generate  # noqa: E402
from oracle_cases import OracleFailed, answer_digests, draw_cases  # noqa: E402


def main(pause=None):
    """`pause` returns in the process that is to run, with its arguments in place: what comes before is done ahead for many."""
    if pause is not None:
        pause()
    tests_folder = sys.argv[1]
    read_end, write_end = frames.private_channel()
    drawn = {}
    while True:
        try:
            request = frames.read_frame(read_end)
            body = frames.read_bytes(read_end) if request["op"] == "judge" else b""
        except frames.Closed:
            return
        frames.write_frame(write_end, _answer(drawn, request, (body, tests_folder)))


def _answer(drawn, request, given):
    body, tests_folder = given
    if request["op"] == "judge":
        return _rule(drawn, request, body)
    if request["op"] == "generate":
        return _told("values", lambda: generate(tests_folder, request))
    if request["op"] == "digests":
        return _told("digests", lambda: answer_digests(tests_folder, request))
    return _draw(drawn, request, tests_folder)


def _told(name, work):
    try:
        return {name: work()}
    except OracleFailed as error:
        return {"failed": str(error)[:4000]}


def _draw(drawn, request, tests_folder):
    try:
        cases = draw_cases(tests_folder, request)
    except OracleFailed as error:
        return {"failed": str(error)[:4000]}
    drawn.update((case.id, case) for case in cases)
    return {"cases": [{"id": case.id, "request": case.request} for case in cases]}


def _rule(drawn, request, body):
    passed, note = _judge(drawn.pop(request["id"]), request["answer"], body)
    return {"id": request["id"], "passed": passed, "note": note[:2000]}


def _judge(case, answer, body):
    """A checker that fails on a hostile answer has not accepted it: that case is not passed."""
    try:
        return case.judge(answer, body)
    except Exception:
        last = traceback.format_exc(limit=-1).strip().splitlines()[-1]
        return False, "the answer could not be judged: " + last


def leave():
    """Ends the process; what the oracle has left behind ends with it."""
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
    leave()
