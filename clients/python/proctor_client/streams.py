"""HTTP by asyncio streams: a thousand calls in flight cost a thousand connections, and no thread."""

from __future__ import annotations

import asyncio
import json
import ssl
import time
import urllib.parse
import weakref
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, AsyncIterator, Dict, List, Optional, Tuple

from .calls import ANSWER_SEC, IDLE_SEC, Call, Json, Made, Pause, Steps, answer_of, refusal_of, unanswered
from .errors import Outage, ProctorError

#: Of a line of headers and of a line of a stream.
MAX_LINE_BYTES = 16 * 1024 * 1024
_FAULTS = (OSError, EOFError, asyncio.TimeoutError, asyncio.LimitOverrunError, ValueError)


@dataclass
class _Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    since: float = 0.0
    #: Whether its last answer was read to the end and another may follow.
    reusable: bool = False
    used: bool = False


@dataclass
class _Pool:
    places: asyncio.Semaphore
    idle: List[_Connection] = field(default_factory=list)


@dataclass(frozen=True)
class _Reply:
    status: int
    headers: Dict[str, str]
    connection: _Connection
    #: When the call's time is over, of `time.monotonic`.
    ends: float


class AsyncTransport:
    """Makes calls in the running event loop, at most `max_concurrency` at once. No proxy, no redirect: see threads."""

    def __init__(self, base_url: str, key: str, timeout: float, max_concurrency: int = 1024) -> None:
        self.base_url = base_url
        self.timeout = timeout
        self._key = key
        self._max_concurrency = max_concurrency
        self._parts = urllib.parse.urlsplit(base_url)
        # connections belong to the loop in which they were opened
        self._pools: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Pool]" = weakref.WeakKeyDictionary()

    async def run(self, steps: Steps[Made]) -> Made:
        """Runs a procedure to its end."""
        try:
            effect = next(steps)
            while True:
                try:
                    answer = await self._do(effect)
                except ProctorError as error:
                    effect = steps.throw(error)
                else:
                    effect = steps.send(answer)
        except StopIteration as ended:
            return ended.value  # type: ignore[no-any-return]

    async def lines(self, call: Call, accept: str) -> AsyncIterator[bytes]:
        """The lines of an answer as they come."""
        try:
            async with self._sent(call, accept) as reply:
                if not 200 <= reply.status < 300:
                    raise refusal_of(reply.status, reply.headers, await _whole(reply))
                rest = b""
                async for piece in _in_time(reply):
                    *ready, rest = (rest + piece).split(b"\n")
                    for line in ready:
                        yield line
                if rest:
                    yield rest
        except _FAULTS as error:
            raise unanswered(self.base_url, error) from error

    async def aclose(self) -> None:
        """Closes the connections that wait for their next use."""
        pool = self._pools.get(asyncio.get_running_loop())
        for connection in pool.idle if pool else ():
            connection.writer.close()
        if pool is not None:
            pool.idle.clear()

    async def _do(self, effect: Any) -> Optional[Json]:
        if isinstance(effect, Pause):
            await asyncio.sleep(effect.seconds)
            return None
        try:
            async with self._sent(effect, "application/json") as reply:
                text = await _whole(reply)
        except _FAULTS as error:
            raise unanswered(self.base_url, error) from error
        return answer_of(reply.status, reply.headers, text)

    @asynccontextmanager
    async def _sent(self, call: Call, accept: str) -> AsyncIterator[_Reply]:
        pool = self._pool()
        async with pool.places:
            reply = await self._asked(pool, call, accept)
            connection = reply.connection
            try:
                yield reply
            finally:
                if connection.reusable:
                    connection.since = time.monotonic()
                    pool.idle.append(connection)
                else:
                    connection.writer.close()

    async def _asked(self, pool: _Pool, call: Call, accept: str) -> _Reply:
        ends = time.monotonic() + (call.timeout or self.timeout)
        while True:
            connection = await asyncio.wait_for(self._taken(pool), min(_left(ends), ANSWER_SEC))
            try:
                status, headers = await asyncio.wait_for(self._ask(connection, call, accept), _left(ends))
                return _Reply(status, headers, connection, ends)
            except (ConnectionError, asyncio.IncompleteReadError):
                connection.writer.close()
                if not connection.used:  # as in BlockingTransport: one that was closed while it waited
                    raise
            except BaseException:
                connection.writer.close()
                raise

    async def _ask(self, connection: _Connection, call: Call, accept: str) -> Tuple[int, Dict[str, str]]:
        data = b"" if call.body is None else json.dumps(call.body).encode()
        head = [
            f"{call.method} {self._parts.path}{call.path} HTTP/1.1",
            f"Host: {self._parts.netloc}",
            f"Authorization: Bearer {self._key}",
            f"Accept: {accept}",
        ]
        if call.body is not None:
            head += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
        elif call.method not in ("GET", "DELETE"):
            head.append("Content-Length: 0")
        connection.writer.write("\r\n".join([*head, "", ""]).encode("latin-1") + data)
        await connection.writer.drain()
        return await _head(connection.reader)

    async def _taken(self, pool: _Pool) -> _Connection:
        while pool.idle:
            connection = pool.idle.pop()
            fresh = time.monotonic() - connection.since < IDLE_SEC
            if fresh and not connection.reader.at_eof() and not connection.writer.is_closing():
                connection.used, connection.reusable = True, False
                return connection
            connection.writer.close()
        secure = self._parts.scheme == "https"
        port = self._parts.port or (443 if secure else 80)
        context = ssl.create_default_context() if secure else None
        reader, writer = await asyncio.open_connection(self._parts.hostname, port, ssl=context, limit=MAX_LINE_BYTES)
        return _Connection(reader, writer)

    def _pool(self) -> _Pool:
        loop = asyncio.get_running_loop()
        if loop not in self._pools:
            self._pools[loop] = _Pool(asyncio.Semaphore(self._max_concurrency))
        return self._pools[loop]


async def _head(reader: asyncio.StreamReader) -> Tuple[int, Dict[str, str]]:
    while True:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        version, _, rest = lines[0].partition(" ")
        if not version.startswith("HTTP/1.") or not rest[:3].isdigit():
            raise Outage("bad-reply", "the answer is not HTTP", mend="check PROCTOR_URL")
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }
        if not 100 <= int(rest[:3]) < 200:
            return int(rest[:3]), headers


async def _pieces(reply: _Reply) -> AsyncIterator[bytes]:
    """The body as it comes, and whether the connection can be used again."""
    reader, headers, connection = reply.connection.reader, reply.headers, reply.connection
    is_framed = True
    if "chunked" in headers.get("transfer-encoding", "").lower():
        while True:
            size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
            piece = await reader.readexactly(size + 2)
            if size == 0:
                break  # what follows would be trailers, which nobody asked for
            yield piece[:-2]
    elif "content-length" in headers:
        left = int(headers["content-length"])
        while left > 0:
            piece = await reader.read(min(left, 1 << 20))
            if not piece:
                raise EOFError("the answer was cut off")
            left -= len(piece)
            yield piece
    elif reply.status not in (204, 304):
        is_framed = False
        while True:
            piece = await reader.read(1 << 20)
            if not piece:
                break
            yield piece
    connection.reusable = is_framed and headers.get("connection", "").lower() != "close"


async def _whole(reply: _Reply) -> bytes:
    return b"".join([piece async for piece in _in_time(reply)])


async def _in_time(reply: _Reply) -> AsyncIterator[bytes]:
    pieces = _pieces(reply)
    while True:
        try:
            piece = await asyncio.wait_for(pieces.__anext__(), _left(reply.ends))
        except StopAsyncIteration:
            return
        yield piece


def _left(ends: float) -> float:
    return max(0.001, ends - time.monotonic())
