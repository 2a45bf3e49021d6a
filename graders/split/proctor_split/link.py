"""One ordered stream of frames: four bytes of length, big-endian, then that many bytes.

The other side is hostile: a frame out of bounds, a late one or a closed pipe loses the link, and a lost link stays lost
until `renew`.
"""

import fcntl
import os
import select
import struct
import time

MAX_FRAME_BYTES = 8 * 1024 * 1024
CHUNK_BYTES = 1 << 18
LOOKS = 200
QUICK_SECONDS = 400e-6


class Lost(Exception):
    """The other side is gone, late, or does not keep to the protocol. `why` is `late`, `closed` or `protocol`.

    A test may catch it: whoever runs tests looks at `Link.lost` afterwards.
    """

    def __init__(self, why, detail=""):
        super().__init__(detail or why)
        self.why = why
        self.detail = detail


class Link:
    """Frames over a pair of pipes. `deadline` is a `time.monotonic()` value or None, and holds for reading and writing.

    `watched` is a descriptor on which somebody who sees the other process end says so: the pipes alone need not tell, since
    their far ends may be kept open for a successor.
    """

    clock = staticmethod(time.monotonic)  # held by the class: tests replace it in modules

    def __init__(self, read_end, write_end, watched=None):
        self.read_end = read_end
        self.write_end = write_end
        self.deadline = None
        self.lost = None
        self._quick = False
        self._buffer = bytearray()
        self._readable = select.poll()
        self._readable.register(read_end, select.POLLIN)
        if watched is not None:
            self._readable.register(watched, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(write_end, select.POLLOUT)
        flags = fcntl.fcntl(write_end, fcntl.F_GETFL)
        fcntl.fcntl(write_end, fcntl.F_SETFL, flags | os.O_NONBLOCK)

    def send(self, body):
        """Sends one frame; raises Lost, and ValueError (with nothing sent) when it is larger than a frame may be."""
        if self.lost is not None:
            raise self.lost
        if len(body) > MAX_FRAME_BYTES:
            raise ValueError("larger than %d bytes in one message" % MAX_FRAME_BYTES)
        view = memoryview(struct.pack(">I", len(body)) + body)
        while view:
            try:
                view = view[os.write(self.write_end, view) :]
            except BlockingIOError:
                self._wait(self._writable)
            except OSError as error:
                raise self.lose("closed", str(error)) from None

    def receive(self):
        """The next frame's bytes; raises Lost."""
        if self.lost is not None:
            raise self.lost
        buffer = self._buffer
        wanted = 4
        while True:
            if len(buffer) >= wanted:
                (length,) = struct.unpack_from(">I", buffer)
                if length > MAX_FRAME_BYTES:
                    raise self.lose("protocol", "a frame of %d bytes" % length)
                wanted = 4 + length
                if len(buffer) >= wanted:
                    body = bytes(buffer[4:wanted])
                    del buffer[:wanted]
                    return body
            self._await_answer()
            chunk = os.read(self.read_end, CHUNK_BYTES)
            if not chunk:
                raise self.lose("closed", "end of stream")
            buffer += chunk

    def _await_answer(self):
        """Waits for something to read. While answers come sooner than an idle processor wakes up, it looks before it sleeps."""
        started = self.clock()
        if not (self._quick and self._look()) and self.read_end not in self._wait(self._readable):
            raise self.lose("closed", "the process has ended")
        self._quick = self.clock() - started < QUICK_SECONDS

    def _look(self):
        poll = self._readable.poll
        for _ in range(LOOKS):
            ready = poll(0)
            if ready:
                return self.read_end in dict(ready)
        return False

    def lose(self, why, detail=""):
        """Marks the link as lost and gives what to raise."""
        if self.lost is None:
            self.lost = Lost(why, detail)
        return self.lost

    def renew(self):
        """Forgets what the last peer sent. Only when that peer is dead and the next one has not spoken yet."""
        self._buffer.clear()
        while select.select([self.read_end], [], [], 0)[0]:
            if not os.read(self.read_end, CHUNK_BYTES):
                break
        self.lost = None

    def _wait(self, poll):
        """Waits until a pipe is ready and gives which; a slow drip does not move the deadline."""
        if self.deadline is None:
            return dict(poll.poll())
        left = self.deadline - self.clock()
        ready = poll.poll(left * 1000 + 1) if left > 0 else ()
        if not ready:
            raise self.lose("late", "no answer in time")
        return dict(ready)
