"""The examiner: draws an instance's hidden cases, knows what is right, and judges answers.

    python3 -I -B examine.py TESTS_FOLDER

It runs in a sandbox of its own, with the task's tests and without the artifact. It never imports, unpickles,
sources or executes anything of the candidate's; answers reach it as plain data. Frames (see wire/frames.py):

    {"op": "draw", "grader": "stdio" | "function", "parameters": {...}, "seed": "...", "maxCases": n}
        -> {"cases": [{"id": "case-1", "request": {...}}, ...]}   or {"failed": "why"}
    {"op": "judge", "id": "case-1", "answer": {...}}
        -> {"id": "case-1", "passed": true | false, "note": "..."}
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "wire")]

import frames  # noqa: E402
import traceback  # noqa: E402

from oracle_cases import OracleFailed, draw_cases  # noqa: E402


def main():
    tests_folder = sys.argv[1]
    read_end, write_end = frames.private_channel()
    drawn = {}
    while True:
        try:
            request = frames.read_frame(read_end)
        except frames.Closed:
            return
        frames.write_frame(write_end, _serve(request, tests_folder, drawn))


def _serve(request, tests_folder, drawn):
    if request["op"] == "draw":
        try:
            cases = draw_cases(tests_folder, request)
        except OracleFailed as error:
            return {"failed": str(error)[:4000]}
        drawn.update((case.id, case) for case in cases)
        return {"cases": [{"id": case.id, "request": case.request} for case in cases]}
    case = drawn.pop(request["id"])
    passed, note = _judge(case, request["answer"])
    return {"id": request["id"], "passed": passed, "note": note[:2000]}


def _judge(case, answer):
    """A checker that fails on a hostile answer has not accepted it: that case is not passed."""
    try:
        return case.judge(answer)
    except Exception:
        last = traceback.format_exc(limit=-1).strip().splitlines()[-1]
        return False, "the answer could not be judged: " + last


if __name__ == "__main__":
    main()
