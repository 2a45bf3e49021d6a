"""Runs in the candidate's sandbox: imports the artifact and does with its objects what the tests, elsewhere, ask for.

    python3 -I -B host.py READ_FD WRITE_FD ROOT...

Nothing secret is here. Whoever takes this process over can only answer; what the answers must be is known elsewhere.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main(pause=None):
    """`pause` returns in the process that is to run, with its arguments in place: what comes before is done ahead for many."""
    sys.path.insert(0, HERE)
    from proctor_split.candidate import serve

    if pause is not None:
        pause()
    read_end, write_end = int(sys.argv[1]), int(sys.argv[2])
    roots = sys.argv[3:]
    nothing = os.open(os.devnull, os.O_RDONLY)  # whatever reads input meets its end
    os.dup2(nothing, 0)
    os.close(nothing)
    for descriptor in (read_end, write_end):
        os.set_inheritable(descriptor, False)
    sys.path[0:1] = roots
    sys.argv[:] = [""]
    serve(read_end, write_end)


def leave():
    """Ends the process; nothing of the artifact's runs any more."""
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
    leave()
