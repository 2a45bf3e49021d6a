"""Frames on a pair of descriptors: four bytes of length, big-endian, then that many bytes: UTF-8 JSON, or raw bytes."""

import json
import os
import struct

MAX_FRAME_BYTES = 65 * 1024 * 1024


class Closed(Exception):
    """The other side closed the stream, or sent something that is not a frame."""


def read_frame(descriptor):
    """The next frame's JSON value; raises Closed at the end of the stream or on a frame out of bounds."""
    try:
        return json.loads(read_bytes(descriptor))
    except (ValueError, RecursionError) as error:
        raise Closed("not JSON: %s" % str(error)[:200]) from None


def read_bytes(descriptor):
    """The next frame as it is; raises Closed."""
    (length,) = struct.unpack(">I", _read_exactly(descriptor, 4))
    if length > MAX_FRAME_BYTES:
        raise Closed("a frame of %d bytes" % length)
    return _read_exactly(descriptor, length)


def to_json(value):
    """UTF-8 JSON without white space."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("utf-8")


def write_frame(descriptor, value):
    """Writes one frame of JSON; raises Closed when it would be larger than the bound."""
    write_bytes(descriptor, to_json(value))


def write_bytes(descriptor, body):
    """Writes one frame of bytes; raises Closed when it is larger than the bound."""
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
