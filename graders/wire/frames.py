"""Length-prefixed JSON on a pair of descriptors: four bytes, big-endian, then that many bytes of UTF-8 JSON."""

import json
import os
import struct

MAX_FRAME_BYTES = 16 * 1024 * 1024


class Closed(Exception):
    """The other side closed the stream, or sent something that is not a frame."""


def read_frame(descriptor):
    """The next frame's JSON value; raises Closed at the end of the stream or on a frame out of bounds."""
    (length,) = struct.unpack(">I", _read_exactly(descriptor, 4))
    if length > MAX_FRAME_BYTES:
        raise Closed("a frame of %d bytes" % length)
    try:
        return json.loads(_read_exactly(descriptor, length))
    except (ValueError, RecursionError) as error:
        raise Closed("not JSON: %s" % str(error)[:200]) from None


def write_frame(descriptor, value):
    """Writes one frame; raises Closed when it would be larger than the bound."""
    body = json.dumps(value, separators=(",", ":"), allow_nan=False).encode("utf-8")
    if len(body) > MAX_FRAME_BYTES:
        raise Closed("a frame of %d bytes" % len(body))
    view = memoryview(struct.pack(">I", len(body)) + body)
    while view:
        view = view[os.write(descriptor, view) :]


def private_channel():
    """Moves the process's standard input and output aside and returns them as (read, write) descriptors.

    Afterwards descriptor 0 reads nothing and descriptor 1 writes to standard error, so that a `print` in code
    that runs here cannot get between the frames.
    """
    read_end, write_end = os.dup(0), os.dup(1)
    for descriptor in (read_end, write_end):
        os.set_inheritable(descriptor, False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return read_end, write_end


def _read_exactly(descriptor, count):
    parts = []
    while count:
        part = os.read(descriptor, min(count, 1 << 20))
        if not part:
            raise Closed("end of stream")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
