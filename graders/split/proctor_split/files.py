"""Files beneath the shared scratch folder, kept alike on both sides as data: regular files and folders, no links.

A side looks for changes only after something in its process opened a file for writing, or started a program; then until
the next test begins.
"""

import os
import stat
import sys

SHARED_FOLDER = os.environ.get("TMPDIR", "/tmp")  # the same path in both sandboxes
MOST_BYTES = 4 * 1024 * 1024
MOST_ENTRIES = 2_000
ALL_BYTES = 256 * 1024 * 1024
ENTRY_BYTES = 4_096
DEEPEST = 24
_CHANGING = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.truncate", "os.chmod", "subprocess.Popen",
             "os.system", "os.posix_spawn", "os.exec", "os.fork", "os.utime")


class FilePassenger:
    """Tells what changed beneath the shared folder, and makes the other side's changes here."""

    def __init__(self, folder=SHARED_FOLDER, may_change=None):
        self.folder = folder
        self._may_change = may_change
        self._own = set()
        self.active = False
        self._taken_bytes = 0
        self._known = {}
        self._before = None
        sys.addaudithook(self._heard)

    def _heard(self, event, arguments):
        if event == "open":
            flags = arguments[2]
            if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                self.active = True
        elif event in _CHANGING:
            self.active = True

    def board(self, extras):
        """Puts changes into a message."""
        if not self.active:
            return
        self._before = dict(self._known)
        changes = self._changes()
        if changes:
            extras["f"] = changes
            self._own.update(path for path, kind, *_ in changes if kind == "f")

    def stay(self):
        """The message was not sent."""
        if self._before is not None:
            self._known, self._before = self._before, None

    def alight(self, extras):
        """Makes the other side's changes."""
        changes = extras.get("f")
        if changes:
            for path, kind, text, mode in changes[:MOST_ENTRIES]:
                self._taken_bytes += len(text) + ENTRY_BYTES
                if self._taken_bytes > ALL_BYTES:
                    raise ValueError("more files than a suite may see")
                if path in self._own and self._may_change is not None and not self._may_change():
                    continue
                self._apply(path, kind, text, mode)
            self.active = True

    def renew(self):
        """The other side is a new process with an empty folder."""
        self._known, self._before = {}, None
        self.active = True

    def _changes(self):
        found, changes, size = {}, [], 0
        for path, facts in _walk(self.folder):
            found[path] = facts
            if self._known.get(path) == facts:
                continue
            if facts[0] == "d":
                changes.append([path, "d", "", facts[1]])
            elif size + facts[2] <= MOST_BYTES:
                size += facts[2]
                data = _read(os.path.join(self.folder, path))
                if data is not None:
                    changes.append([path, "f", data.decode("latin-1"), facts[1]])
        for path in reversed(list(self._known)):
            if path not in found:
                changes.append([path, "-", "", 0])
        self._known = found
        return changes

    def _apply(self, path, kind, text, mode):
        parts = path.split("/")
        if not path or len(parts) > DEEPEST or any(part in ("", ".", "..") or "\0" in part for part in parts):
            raise ValueError("a path that leads elsewhere")
        if type(mode) is not int or kind not in ("d", "f", "-"):
            raise ValueError("not a change of a file")
        full = self.folder
        for part in parts[:-1]:
            full = os.path.join(full, part)
            if not _is(full, stat.S_ISDIR):
                return
        full = os.path.join(full, parts[-1])
        try:
            if kind == "d":
                if not _is(full, stat.S_ISDIR):
                    os.mkdir(full)
                os.chmod(full, 0o700 | mode & 0o777)
            elif kind == "f":
                _write(full, text.encode("latin-1"), mode & 0o777)
            elif _is(full, stat.S_ISDIR):
                os.rmdir(full)
            elif os.path.lexists(full):
                os.unlink(full)
        except OSError:
            return
        if kind == "-":
            self._known.pop(path, None)
        else:
            self._known[path] = _facts(os.lstat(full))


def _walk(folder):
    waiting, count = [("", 0)], 0
    while waiting:
        place, depth = waiting.pop()
        try:
            entries = sorted(os.scandir(os.path.join(folder, place)), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            count += 1
            if count > MOST_ENTRIES:
                return
            facts = _facts(entry.stat(follow_symlinks=False))
            path = os.path.join(place, entry.name)
            if facts is None:
                continue
            yield path, facts
            if facts[0] == "d" and depth < DEEPEST:
                waiting.append((path, depth + 1))


def _facts(status):
    mode = stat.S_IMODE(status.st_mode) & 0o777
    if stat.S_ISDIR(status.st_mode):
        return ("d", mode, 0, 0)
    if stat.S_ISREG(status.st_mode):
        return ("f", mode, status.st_size, status.st_mtime_ns)
    return None


def _is(path, kind):
    try:
        return kind(os.lstat(path).st_mode)
    except OSError:
        return False


def _read(path):
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(MOST_BYTES)


def _write(path, data, mode):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    os.chmod(path, mode)
