"""Keeps what the candidate produced from being run here: a test that unpickles, evaluates or imports it is refused by name."""

import os
import sys

from proctor_split.names import find_global

# what a pickle of a stand-in, or of plain values, is made of
_PICKLED = frozenset(
    [
        ("proctor_split.ref", "unpickle_there"),
        *(("copyreg", name) for name in ("_reconstructor", "__newobj__", "__newobj_ex__")),
        *(("_codecs", "encode"), ("codecs", "encode"), ("builtins", "set"), ("builtins", "object"), ("builtins", "getattr")),
    ]
)
_NEVER = frozenset(
    "os.exec os.posix_spawn os.spawn os.system os.startfile os.fork os.forkpty pty.spawn subprocess.Popen marshal.loads "
    "ctypes.dlopen ctypes.dlsym code.__new__ cpython.run_command cpython.run_file cpython.run_interactivehook cpython.run_module "
    "cpython.run_startup socket.connect socket.bind import_outside".split()
)
_RUNNING = ("exec", "compile")


class RefusedHere(RuntimeError):
    """The test would run, in the examiner, what the candidate made."""


def keep_code_out(tests, scratch, is_testing):
    """Installs an audit hook (PEP 578) that holds while `is_testing()`; `scratch` is where files of the candidate's may lie."""
    tests, scratch = tests.rstrip(os.sep) + os.sep, scratch.rstrip(os.sep) + os.sep

    def heard(event, arguments):
        if event in _NEVER and is_testing() and not _is_import(event):
            raise RefusedHere("a test cannot use %s in the examiner: it runs nothing here" % event)
        if event == "pickle.find_class" and is_testing():
            _check_pickled(*arguments)
        elif event in _RUNNING and is_testing():
            _check_run(event, arguments)

    def _check_run(event, arguments):
        name = arguments[1] if event == "compile" else getattr(arguments[0], "co_filename", "")
        code = sys._getframe(2).f_code
        caller = code.co_filename
        if event == "compile" and any(arguments[0] is constant for constant in code.co_consts):
            return  # a text that stands in the test itself
        if (type(name) is str and name.startswith(scratch)) or (caller.startswith(tests) and not _is_file_below(name, tests)):
            raise RefusedHere("a test cannot evaluate or run text in the examiner: it may be the candidate's")

    sys.addaudithook(heard)


def _is_import(event):
    return event == "marshal.loads" and sys._getframe(2).f_code.co_filename.startswith("<frozen importlib")


def _check_pickled(module, name):
    if (module, name) in _PICKLED and (module, name) != ("builtins", "getattr"):
        return
    if find_global(module, name) is None:
        raise RefusedHere("a test cannot unpickle %.100s.%.100s in the examiner" % (module, name))


def _is_file_below(name, folder):
    return type(name) is str and name.startswith(folder)
