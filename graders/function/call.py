"""Runs in the candidate's sandbox: calls functions of one module of the artifact and sends back plain values.

    python3 -I -B call.py MODULE FOLDER

Each answer is two frames: a small head, {"id": ..., "kind": "value" | "raised"}, and a body that the service hands to the
examiner unread. Nothing secret is here. Whoever takes this process over can only say what the answers are, and the examiner,
in another sandbox, compares them with what is right.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "wire"))

import frames  # noqa: E402
import values  # noqa: E402

# the service takes no more (src/stages/grade/grade-function.ts)
MAX_BODY_BYTES = 4 * 1024 * 1024


def main(pause=None):
    """`pause` returns in the process that is to run, with its arguments in place: what comes before is done ahead for many."""
    if pause is not None:
        pause()
    module_name, folder = sys.argv[1:3]
    read_end, write_end = frames.private_channel()
    sys.path[0] = folder
    sys.argv[:] = [module_name]
    try:
        module = _import(module_name)
    except BaseException as error:
        frames.write_frame(write_end, {"ready": False, "raised": _raised(error)})
        return
    frames.write_frame(write_end, {"ready": True})
    while True:
        try:
            request = frames.read_frame(read_end)
        except frames.Closed:
            return
        kind, body = _answer(module, request)
        frames.write_frame(write_end, {"id": request["id"], "kind": kind})
        frames.write_bytes(write_end, body)


def _import(name):
    __import__(name)
    return sys.modules[name]


def _answer(module, request):
    try:
        args = values.decode(request["args"])
        kwargs = values.decode(request["kwargs"])
        function = module
        for part in request["function"].split("."):
            function = getattr(function, part)
        body = frames.to_json(values.encode(function(*args, **kwargs)))
        if len(body) > MAX_BODY_BYTES:
            raise values.NotPlain("an answer of %d bytes" % len(body))
        return "value", body
    except BaseException as error:
        return "raised", frames.to_json(_raised(error))


def _raised(error):
    kind = type(error)
    try:
        message = str(error)[:500]
    except Exception:
        message = ""
    return {
        "classes": [values._class_name(base) for base in kind.__mro__][:30],
        "message": message.encode("utf-8", "replace").decode("utf-8"),
    }


def leave():
    """Ends the process at once: nothing of the artifact's runs any more."""
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
    leave()
