"""The examiner of hidden pytest suites: runs them unmodified, with every module of the artifact in the candidate's sandbox.

    python3 -I -B run_suite.py READ_FD WRITE_FD

The two descriptors lead to the candidate (see ../split/host.py); standard input and output are the service's (frames, see
../wire/frames.py), and nothing of the candidate's can reach those:

    <- {"tests": folder, "modules": [...], "roots": [...], "caseMs": n, "scratch": folder,
        "record": true | false, "known": {"id": {"words": n}} | null}
    -> {"kind": "collected", "ids": [...], "problems": [{"id": ..., "note": ...}]}
    -> {"kind": "result", "id": ..., "status": ..., "note": ..., "wallMs": n, "words": {...}, "uses": [...], "results": {...}}
    -> {"kind": "lost", "why": ...}     <- {"renewed": true | false}
    -> {"kind": "done", "exit": n, "asked": n}     how often the artifact was asked to import something

A prepared process (../forkserver/zygote.py) is started with one argument instead, the part of the first frame that is the
suite's (JSON; "null" for any suite), and does ahead what can be done ahead.
"""

import json
import os
import resource
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BESIDE = os.path.dirname(HERE)
MEMORY_BYTES = 900 * 1024 * 1024


def main(pause=None):
    """`pause` returns in the process that is to run, with its arguments in place: what comes before is done ahead for many."""
    sys.path[0:1] = [HERE, os.path.join(BESIDE, "split"), os.path.join(BESIDE, "wire")]
    import frames
    from proctor_pytest import prepare, suite

    del sys.path[0:3]
    sys.path.append(HERE)
    sys.path.append(os.path.join(BESIDE, "split"))
    ahead = None if pause is None else json.loads(sys.argv[1])

    def enter():
        """The service's end and the candidate's, once this is the process that runs."""
        if pause is not None:
            pause()
        control = frames.private_channel()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        link_ends = int(sys.argv[1]), int(sys.argv[2])
        for descriptor in link_ends:
            os.set_inheritable(descriptor, False)
        sys.argv[:] = ["pytest"]
        return control, link_ends

    if pause is not None:
        prepare.warm_up()
    if ahead is not None and prepare.can_stop_at_collection(ahead):
        prepare.run_from_collection(ahead, enter)
    else:
        suite.run(enter)


def leave():
    """Ends the process at once: nothing that tests have left behind runs any more."""
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
    leave()
