"""Looks through all that a program in the sandbox can read for what is hidden: lines and whole files by digest, names, digests.

Reads {"lines": [sha256...], "files": [sha256...], "names": [...], "length": n} on standard input; lines shorter than n are not looked at.
"""

import hashlib
import json
import os
import stat
import sys
import zlib

wanted = json.load(sys.stdin)
lines, files, names, length = set(wanted["lines"]), set(wanted["files"]), set(wanted["names"]), wanted["length"]
hexadecimal = [digest.encode() for digest in files]
found = set()
SYSTEM = ("/proc", "/sys", "/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ssl")
LARGEST = 8_000_000
MOST_OBJECTS = 100_000


def look(place, data):
    if hashlib.sha256(data).hexdigest() in files:
        found.add("%s is a hidden file" % place)
        return
    if any(digest in data for digest in hexadecimal):
        found.add("%s holds the digest of a hidden file" % place)
    for line in data.split(b"\n")[:200_000]:
        line = line.strip()
        if len(line) >= length and hashlib.sha256(line).hexdigest() in lines:
            found.add("%s holds a line of a hidden file" % place)
            return


def objects_of_pack(data):
    """The objects of a git pack, reachable or not; of deltas what they insert."""
    if data[:4] != b"PACK":
        return
    view, position = memoryview(data), 12
    for _ in range(min(int.from_bytes(data[8:12], "big"), MOST_OBJECTS)):
        kind = (view[position] >> 4) & 7
        while view[position] & 0x80:
            position += 1
        position += 1
        if kind == 6:
            while view[position] & 0x80:
                position += 1
            position += 1
        elif kind == 7:
            position += 20
        stream = zlib.decompressobj()
        yield stream.decompress(view[position:])
        position = len(data) - len(stream.unused_data)


def look_at_file(path):
    facts = os.lstat(path)
    if stat.S_ISLNK(facts.st_mode):
        look(path, os.fsencode(os.readlink(path)))
        return
    if not stat.S_ISREG(facts.st_mode) or facts.st_size > LARGEST:
        return
    with open(path, "rb") as file:
        data = file.read()
    look(path, data)
    if "/objects/" in path:
        if path.endswith(".pack"):
            for content in objects_of_pack(data):
                look(path + " (a git object)", content)
        elif data[:1] == b"\x78":
            look(path + " (a git object)", zlib.decompress(data).split(b"\0", 1)[-1])


for root, folders, entries in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(root, name) not in SYSTEM]
    for name in entries:
        path = os.path.join(root, name)
        if name in names:
            found.add("%s has the name of a hidden file" % path)
        try:
            look_at_file(path)
        except (OSError, ValueError, IndexError, zlib.error):
            pass
for name, value in os.environ.items():
    look("the variable " + name, os.fsencode(value))
for pid in filter(str.isdigit, os.listdir("/proc")):
    for entry in ("cmdline", "environ", "mountinfo"):
        try:
            with open("/proc/%s/%s" % (pid, entry), "rb") as file:
                data = file.read()
        except OSError:
            continue
        look("/proc/%s/%s" % (pid, entry), data.replace(b"\0", b"\n"))
json.dump(sorted(found)[:100], sys.stdout)
