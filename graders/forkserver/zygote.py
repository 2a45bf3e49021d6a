"""A prepared interpreter: loads one of our programs, waits, and runs it in clones of itself, each in a sandbox of its own.

    python3 -I -B zygote.py LIBRARY FILTER PROGRAM ARGUMENT...

Clones are asked for on descriptor 7 by the first processes of new sandboxes (sandbox.c), which send what the clone becomes and
all its descriptors. This process reads nothing else: neither what the service says nor anything of a candidate's. It never
runs what it did not load itself, and ends when it is no longer what it was.
"""

import sys

AT_START = frozenset(sys.modules)

import array  # noqa: E402
import ctypes  # noqa: E402
import fcntl  # noqa: E402
import gc  # noqa: E402
import importlib.util  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import select  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402

CONTROL = 3
LISTENER = 7
PLACES = (0, 1, 2, 7, 8)
NAMESPACES = 0x00020000 | 0x08000000 | 0x04000000 | 0x40000000  # NEWNS NEWIPC NEWUTS NEWNET
NEWPID = 0x20000000
MOST_BYTES = 65_536
MOST_DESCRIPTORS = 32
FIRST_FREE = 64


class Zygote:
    """Serves clones; in each of them `serve` returns."""

    def __init__(self, library, filter_path):
        self._library = ctypes.CDLL(library, use_errno=True)
        self._library.sandbox_why.restype = ctypes.c_char_p
        if filter_path and self._library.sandbox_filter(filter_path.encode()) != 0:
            raise OSError(self._library.sandbox_why().decode())
        self._setns = ctypes.CDLL(None, use_errno=True).setns
        self._own_pids = os.open("/proc/self/ns/pid", os.O_RDONLY)
        for descriptor in PLACES[3:]:  # nothing that is opened later may get a number that clones need
            if descriptor != LISTENER:
                os.dup2(self._own_pids, descriptor)
        self._listener = socket.socket(fileno=LISTENER)
        self._clones = {}

    def serve(self):
        """Waits for requests, for ever. Returns in each clone, within its sandbox and with its arguments in place."""
        sys.stdout.flush()
        sys.stderr.flush()
        gc.collect()
        gc.freeze()
        self._kept = _descriptors_of_nothing()
        os.write(CONTROL, b"ready\n")
        os.close(CONTROL)
        self._state = self._look(0)
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor in self._clones:
                    poll.unregister(descriptor)
                    self._buried(descriptor)
                    continue
                clone = self._answer()
                if clone is None:
                    return
                if clone >= 0:
                    poll.register(clone, select.POLLIN)

    def _answer(self):
        """Clones for one request: None in the clone, its pidfd here, -1 when there is none."""
        asking, _ = self._listener.accept()
        try:
            received = array.array("i")
            told, ancillary, flags, _ = asking.recvmsg(MOST_BYTES, socket.CMSG_SPACE(MOST_DESCRIPTORS * received.itemsize))
            for level, kind, data in ancillary:
                if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                    received.frombytes(data[: len(data) - len(data) % received.itemsize])
        finally:
            asking.close()
        if not told or len(received) < 2 or flags & socket.MSG_CTRUNC:
            for descriptor in received:  # its first process is ended by the service, which hears nothing
                os.close(descriptor)
            return -1
        return self._clone(told, received)

    def _clone(self, told, received):
        first, control = received[:2]
        del received[0]
        try:
            if self._look(len(received) + 1) != self._state:
                sys.stderr.write("zygote: it is no longer what it was: %r, %r\n" % (set(sys.modules) ^ self._state[0], self._look(len(received) + 1)[1:]))
                os._exit(3)  # a new one takes over
            if self._setns(first, NEWPID) != 0:
                raise OSError(ctypes.get_errno(), "setns")
            clone = os.fork()
        except OSError as error:
            _tell(control, b"failed clone: %s\n" % str(error).encode())
            self._setns(self._own_pids, NEWPID)
            for descriptor in received:
                os.close(descriptor)
            _end(first)
            os.close(first)
            return -1
        if clone == 0:
            self._become(told, received, first)
            return None
        self._setns(self._own_pids, NEWPID)
        for descriptor in received[1:]:
            os.close(descriptor)
        watched = os.pidfd_open(clone)
        self._clones[watched] = (clone, first, control)
        return watched

    def _become(self, told, received, first):
        control = received[0]
        try:
            lines, _, settings = told.partition(b"\n\n")
            settings = json.loads(settings)
            groups = received[1 : 1 + settings["groups"]]
            for group in groups:
                os.write(group, b"0")
            if self._setns(first, NAMESPACES) != 0:
                raise OSError(ctypes.get_errno(), "setns")
            self._listener.detach()
            apart = [_moved(descriptor) for descriptor in (control, *received[1 + settings["groups"] :])]
            control = apart[0]
            for source, target in zip(apart[1:], PLACES):
                os.dup2(source, target)
            self._close_all_but({*PLACES[: len(apart) - 1], *self._kept, apart[0]})
            if self._library.sandbox_become(lines + b"\n\n") != 0:
                raise OSError(self._library.sandbox_why().decode())
            os.close(apart[0])
        except BaseException as error:
            try:
                os.write(control, b"failed %s\n" % str(error).encode()[:300])
            finally:
                os._exit(125)
        for name, value in settings["environment"].items():
            if os.environ.get(name) != value:
                os.environ[name] = value
        sys.argv[:] = settings["arguments"]
        if "random" in sys.modules:
            sys.modules["random"]._inst.seed()
        self.__dict__.clear()

    def _close_all_but(self, kept):
        """Closes every descriptor from 3 on that is not kept."""
        first = 3
        for descriptor in sorted(descriptor for descriptor in kept if descriptor >= 3):
            self._library.sandbox_close(first, descriptor - 1)
            first = descriptor + 1
        self._library.sandbox_close(first, 0xFFFFFFFF)

    def _buried(self, watched):
        clone, first, control = self._clones.pop(watched)
        _, status = os.waitpid(clone, 0)
        _tell(control, b"ended %d\n" % status)
        _end(first)
        for descriptor in (watched, first, control):
            os.close(descriptor)

    def _look(self, received):
        """What must not change: modules, whose child it is, and descriptors but for those just received and the clones' three each."""
        opened = len(os.listdir("/proc/self/fd")) - received - 3 * len(self._clones)
        return frozenset(sys.modules), os.getppid(), opened


def _descriptors_of_nothing():
    """What the program has opened beforehand and may keep: /dev/null, which all may share."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2 and os.readlink("/proc/self/fd/" + name) == os.devnull:
                found.append(int(name))
        except OSError:
            continue  # it was the listing's own
    return found


def _tell(control, line):
    try:
        os.write(control, line)
    except OSError:
        pass  # nobody asks any more


def _end(first):
    try:
        signal.pidfd_send_signal(first, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it was ended by the service


def _moved(descriptor):
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE)


def main():
    library, filter_path, program, *arguments = sys.argv[1:]
    zygote = Zygote(library, filter_path)
    spec = importlib.util.spec_from_file_location("__proctor_program__", program)
    module = importlib.util.module_from_spec(spec)
    sys.argv[:] = [program, *arguments]
    for name in frozenset(sys.modules) - AT_START:
        del sys.modules[name]  # ours alone: a module of the artifact's may have the same name
    spec.loader.exec_module(module)
    module.__name__, module.__spec__ = "__main__", None  # what a process that it spawns looks for
    sys.modules["__main__"] = module
    module.main(zygote.serve)
    module.leave()


if __name__ == "__main__":
    main()
