"""Does on the host what Node cannot: mounts tmpfs, makes pipes. One resident process per driver.

One JSON object a line on standard input, one answer a line on standard output:

    {"op": "mount", "path": P, "bytes": N, "inodes": N, "folder": F, "uid": U}     F is made in it, and is U's
    {"op": "unmount", "path": P}
    {"op": "pipes", "count": N, "uid": U}      -> {"ok": true, "ends": [[read, write], ...]}
    {"op": "close", "descriptors": [...]}
    {"op": "fifos", "paths": [...]}                                                whoever gets to their folder may open them
    -> {"ok": true} or {"ok": false, "errno": "ENOSPC", "error": "..."}

The service opens the pipes through this process's /proc/PID/fd and then has them closed here. `uid` will own them,
so that a program may open /dev/stdin and /dev/stdout; a FIFO would not do, since opening one waits for the other end.

It ends when its input ends, that is, with the service.
"""

import ctypes
import errno
import json
import os
import signal
import sys

libc = ctypes.CDLL(None, use_errno=True)
MS_NOSUID, MS_NODEV = 2, 4
MNT_DETACH = 2


def mount(request):
    options = "size=%d,nr_inodes=%d,mode=0711" % (request["bytes"], request["inodes"] + 1)
    path = os.fsencode(request["path"])
    check(libc.mount(b"proctor", path, b"tmpfs", MS_NOSUID | MS_NODEV, options.encode("ascii")))
    folder = os.path.join(request["path"], request["folder"])
    os.mkdir(folder, 0o700)
    os.chown(folder, request["uid"], request["uid"])


def unmount(request):
    path = os.fsencode(request["path"])
    if libc.umount2(path, 0) == 0 or ctypes.get_errno() in (errno.EINVAL, errno.ENOENT):
        return
    check(libc.umount2(path, MNT_DETACH))


def pipes(request):
    ends = [os.pipe() for _ in range(request["count"])]
    if request["uid"] is not None:
        for read_end, _ in ends:
            os.fchown(read_end, request["uid"], request["uid"])
    return {"ends": ends}


def fifos(request):
    for path in request["paths"]:
        os.mkfifo(path)
        os.chmod(path, 0o666)


def close(request):
    for descriptor in request["descriptors"]:
        os.close(descriptor)


def check(result):
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


OPERATIONS = {"mount": mount, "unmount": unmount, "pipes": pipes, "fifos": fifos, "close": close}


def main():
    for ignored in (signal.SIGINT, signal.SIGTERM):  # it ends with its input, after the service has finished
        signal.signal(ignored, signal.SIG_IGN)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"ok": True, **(OPERATIONS[request["op"]](request) or {})}
        except OSError as error:
            answer = {"ok": False, "errno": errno.errorcode.get(error.errno, "EIO"), "error": str(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
