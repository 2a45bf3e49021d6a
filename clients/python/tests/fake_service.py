"""A service on loopback that answers what a test says, and keeps what it was asked."""

import asyncio
import json
import threading


class Asked:
    """One request."""

    def __init__(self, method, path, headers, body, connection):
        self.method, self.path, self.headers, self.body, self.connection = method, path, headers, body, connection


class FakeService:
    """`answer(nth, asked)` gives (status, object), (status, object, headers), a list to stream, or None to hang up.

    It may be a coroutine function. A list may have None in it: there the connection is cut.
    """

    def __init__(self, answer):
        self._answer = answer
        self.asked = []
        self.connections = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=2048, limit=1 << 26), self._loop
        ).result()
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, *_):
        async def end():
            self._server.close()
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _serve(self, reader, writer):
        self.connections += 1
        connection = self.connections
        try:
            while await self._one(reader, writer, connection):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _one(self, reader, writer, connection):
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        method, path, _ = lines[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        text = await reader.readexactly(int(headers.get("content-length", 0)))
        asked = Asked(method, path, headers, json.loads(text) if text else None, connection)
        self.asked.append(asked)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            said = self._answer(len(self.asked), asked)
            if asyncio.iscoroutine(said):
                said = await said
        finally:
            self.in_flight -= 1
        if said is None:
            return False
        if isinstance(said, list):
            return await _stream(writer, said)
        if said[0] == "endless":
            return await _stream_without_end(writer, said[1])
        status, body, *more = said
        extra = {"content-type": "application/json", **(more[0] if more else {})}
        raw = json.dumps(body).encode()
        head = [f"HTTP/1.1 {status} OK", *(f"{name}: {value}" for name, value in extra.items())]
        writer.write("\r\n".join([*head, f"content-length: {len(raw)}", "", ""]).encode() + raw)
        await writer.drain()
        return extra.get("connection") != "close"


async def _stream_without_end(writer, line):
    raw = json.dumps(line).encode() + b"\n"
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n")
    while True:
        writer.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
        await writer.drain()
        await asyncio.sleep(0.01)


async def _stream(writer, lines):
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n")
    for line in lines:
        if line is None:
            await writer.drain()
            return False
        raw = json.dumps(line).encode() + b"\n"
        for piece in (raw[: len(raw) // 2], raw[len(raw) // 2 :]):  # a line need not come at once
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


def scored(item_id, reward=1.0, **more):
    """An item as the service gives it."""
    return {
        "id": item_id,
        "status": "scored",
        "reward": reward,
        "score": reward,
        "reward_components": {"task": reward},
        "train_weight": 1.0,
        "mask_sample": False,
        "failure_kind": "",
        "failure_reason": "",
        "fault": "none",
        "outcome": "passed",
        "integrity": "clean",
        "assurance": "oracle",
        "flags": [],
        "metrics": {"cases_passed": 1, "cases_total": 1},
        "group": {"n_valid": 1, "advice": "keep", "neutral_reward": reward},
        "verdict_id": "ver_1",
        "evidence_uri": "/v1/verdicts/ver_1",
        "cached": True,
        "latency_ms": 1,
        **more,
    }


def quarantined(item_id, reward=1.0, **more):
    """An item that nobody may learn from."""
    told = {"status": "quarantined", "train_weight": 0.0, "mask_sample": True, "failure_kind": "proctor:quarantined"}
    return scored(item_id, reward, **{**told, **more})


def pending(item_id):
    """An item that was not graded in time."""
    told = {"status": "pending", "train_weight": 0.0, "mask_sample": True, "failure_kind": "proctor:pending"}
    return scored(item_id, 0.0, **told)


def refusal(code, fault="platform"):
    """The body of an error."""
    told = {"code": code, "fault": fault, "message": "m", "mend": "n", "details": {}, "request_id": "r"}
    return {"error": told}


def all_scored(_nth, asked):
    """Answers every item with 1."""
    return 200, {"items": [scored(item["id"]) for item in asked.body["items"]]}
