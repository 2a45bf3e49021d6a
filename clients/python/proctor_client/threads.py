"""HTTP by blocking sockets: connections are kept and used again, and the client may be shared between threads."""

from __future__ import annotations

import json
import os
import select
import socket
import ssl
import threading
import time
import urllib.parse
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Dict, Iterator, List, Optional, Tuple

from .calls import IDLE_SEC, Call, Json, Made, Pause, Steps, answer_of, refusal_of, unanswered
from .errors import ProctorError


class BlockingTransport:
    """Makes calls, one after the other in each thread. No proxy and no redirect is followed: both would get the key."""

    def __init__(self, base_url: str, key: str, timeout: float) -> None:
        self.base_url = base_url
        self.timeout = timeout
        self._key = key
        self._parts = urllib.parse.urlsplit(base_url)
        self._forget()

    def __getstate__(self) -> Dict[str, Any]:
        return {"base_url": self.base_url, "key": self._key, "timeout": self.timeout}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __del__(self) -> None:
        if getattr(self, "_pid", None) == os.getpid():
            self.close()

    def run(self, steps: Steps[Made]) -> Made:
        """Runs a procedure to its end."""
        try:
            effect = next(steps)
            while True:
                try:
                    answer = self._do(effect)
                except ProctorError as error:
                    effect = steps.throw(error)
                else:
                    effect = steps.send(answer)
        except StopIteration as ended:
            return ended.value  # type: ignore[no-any-return]

    def lines(self, call: Call, accept: str) -> Iterator[bytes]:
        """The lines of an answer as they come."""
        connection, reply = self._sent(call, accept)
        whole = False
        try:
            if not 200 <= reply.status < 300:
                raise refusal_of(reply.status, _headers(reply), reply.read())
            yield from reply
            whole = True
        except (OSError, HTTPException) as error:
            raise unanswered(self.base_url, error) from error
        finally:
            self._put_back(connection, reply, whole)

    def close(self) -> None:
        """Closes the connections that wait for their next use."""
        with self._lock:
            idle = list(self._idle)
            self._idle.clear()
        for connection, _ in idle:
            connection.close()

    def _do(self, effect: Any) -> Optional[Json]:
        if isinstance(effect, Pause):
            time.sleep(effect.seconds)
            return None
        connection, reply = self._sent(effect, "application/json")
        whole = False
        try:
            text = reply.read()
            whole = True
        except (OSError, HTTPException) as error:
            raise unanswered(self.base_url, error) from error
        finally:
            self._put_back(connection, reply, whole)
        return answer_of(reply.status, _headers(reply), text)

    def _sent(self, call: Call, accept: str) -> Tuple[HTTPConnection, HTTPResponse]:
        while True:
            connection, is_used = self._taken(call.timeout or self.timeout)
            try:
                return connection, self._ask(connection, call, accept)
            except (OSError, HTTPException) as error:
                connection.close()
                # closed by the other side while it waited: another connection is tried at once. Calls have ids by which
                # the service knows them again
                if is_used and isinstance(error, (ConnectionError, HTTPException)):
                    continue
                raise unanswered(self.base_url, error) from error

    def _ask(self, connection: HTTPConnection, call: Call, accept: str) -> HTTPResponse:
        headers = {"Authorization": f"Bearer {self._key}", "Accept": accept}
        data = None if call.body is None else json.dumps(call.body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        connection.request(call.method, self._parts.path + call.path, body=data, headers=headers)
        return connection.getresponse()

    def _taken(self, timeout: float) -> Tuple[HTTPConnection, bool]:
        if self._pid != os.getpid():
            self._forget()  # a forked trainer would write into its parent's connections
        while True:
            with self._lock:
                kept = self._idle.pop() if self._idle else None
            if kept is None:
                return self._opened(timeout), False
            connection, since = kept
            if time.monotonic() - since < IDLE_SEC and not _is_closed(connection.sock):
                connection.sock.settimeout(timeout)
                return connection, True
            connection.close()

    def _opened(self, timeout: float) -> HTTPConnection:
        host = self._parts.hostname or ""
        if self._parts.scheme == "https":
            return HTTPSConnection(host, self._parts.port, timeout=timeout, context=ssl.create_default_context())
        return HTTPConnection(host, self._parts.port, timeout=timeout)

    def _put_back(self, connection: HTTPConnection, reply: HTTPResponse, whole: bool) -> None:
        if not whole or reply.will_close or connection.sock is None:
            reply.close()
            connection.close()
            return
        with self._lock:
            self._idle.append((connection, time.monotonic()))

    def _forget(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._idle: List[Tuple[HTTPConnection, float]] = []


def _headers(reply: HTTPResponse) -> Dict[str, str]:
    return {name.lower(): value for name, value in reply.getheaders()}


def _is_closed(sock: Optional[socket.socket]) -> bool:
    """An idle connection with something to read was closed, or says what nobody asked."""
    if sock is None:
        return True
    try:
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return bool(poll.poll(0))
    except (OSError, ValueError):
        return True
