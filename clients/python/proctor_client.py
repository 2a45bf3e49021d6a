"""A harness's client for Proctor's sessions: open a workspace, act in it, hand in, ask for the reward.

One file, standard library only, Python 3.9 or newer. `Client` blocks; `AsyncClient` has the same methods to await.

    with Client().open_session(task="proctor/tap-shell") as session:
        print(session.shell("ls").stdout)
    print(session.wait_for_reward().reward)
"""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import functools
import json
import os
import random
import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPException
from types import TracebackType
from typing import (
    Any, AsyncIterator, Awaitable, Callable, Collection, Dict, Generic, Iterator, List, Mapping, Optional, Sequence,
    Tuple, Type, TypeVar, Union, cast,
)

__version__ = "0.1.0"
__all__ = [
    "ActionError", "AsyncClient", "AsyncSession", "Client", "End", "Event", "Feedback", "Instance", "Observation",
    "Output", "ProctorError", "Reward", "Session", "SessionInfo",
]

Json = Dict[str, Any]
Content = Union[str, bytes]
# Whether a call may be made again: also after a passing fault, or only when its answer was lost.
Safety = Union[bool, str]
Made = TypeVar("Made")
Acted = TypeVar("Acted", covariant=True)

MOST_TRIES = 5
FIRST_PAUSE_SEC = 0.5
LONGEST_PAUSE_SEC = 60.0
#: Of one answer to wait for a reward; shorter than what proxies usually cut off.
REWARD_SLICE_SEC = 30.0
#: What the service takes for `shell` when no time is given, and what an answer may take on top of a command.
COMMAND_SEC = 120.0
ANSWER_SEC = 30.0
PAGE = 500
#: Told with 503 too, and no later try of the same call mends them.
LASTING = frozenset({"capability-missing", "lease-lost"})
PASSING_STATUSES = frozenset({429, 502, 503, 504})


class ProctorError(Exception):
    """A call that failed.

    The service's own codes stand in docs/errors.md. The client adds four: `unreachable` (nothing was sent), `no-answer`
    (it was sent, and what became of it is unknown), `bad-reply` (not an answer of Proctor), `no-reward` (nothing was
    handed in, or its grade was not there in time).
    """

    def __init__(
        self, code: str, message: str, *, fault: str = "platform", mend: str = "", details: Optional[Json] = None,
        request_id: Optional[str] = None, status: Optional[int] = None, retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.fault = fault
        self.message = message
        self.mend = mend
        self.details: Json = {} if details is None else details
        self.request_id = request_id
        self.status = status
        self.retry_after = retry_after


@dataclass(frozen=True)
class Output:
    """One output of an action: whole, or its beginning and its end around a marker."""

    name: str
    text: str
    bytes: int
    left_out: int
    sha256: Optional[str]


@dataclass(frozen=True)
class ActionError:
    """Why an action did not do what it says."""

    code: str
    message: str


@dataclass(frozen=True)
class Feedback:
    """What is left of the session's budgets."""

    wall_ms: float
    steps_left: Optional[int]
    active_ms_left: int
    budget_reached: Optional[str]


@dataclass(frozen=True)
class Observation:
    """What an action came to. `status` is `ok`, `failed`, `timed-out`, `budget-reached` …"""

    step: Optional[int]
    environment: str
    action: str
    status: str
    error: Optional[ActionError]
    outputs: Tuple[Output, ...]
    data: Json
    feedback: Feedback

    @property
    def ok(self) -> bool:
        """Whether it did what it says."""
        return self.status == "ok"

    @property
    def stdout(self) -> str:
        """What a command wrote, as it is shown."""
        return self._text("stdout")

    @property
    def stderr(self) -> str:
        """What a command wrote to standard error, as it is shown."""
        return self._text("stderr")

    @property
    def content(self) -> str:
        """The content of a file, as it is shown; look at `is_whole` before you write it back."""
        return self._text("content")

    @property
    def is_whole(self) -> bool:
        """Whether no output was cut."""
        return all(output.left_out == 0 for output in self.outputs)

    @property
    def exit_code(self) -> Optional[int]:
        """Of a command; None when it did not end by itself."""
        return cast(Optional[int], self.data.get("exit_code"))

    def _text(self, name: str) -> str:
        return next((output.text for output in self.outputs if output.name == name), "")


@dataclass(frozen=True)
class SessionInfo:
    """A session as it was opened."""

    session_id: str
    instance_id: str
    origin: str
    instruction: Optional[str]
    driver: Optional[str]
    snapshot: Optional[Json]
    recorder: Json
    budgets: Json
    created_at: str


@dataclass(frozen=True)
class End:
    """How a session ended: `finished`, `abandoned` or `failed`. `submission_id` is None when nothing was handed in."""

    session_id: str
    submission_id: Optional[str]
    outcome: str
    fault: str
    reason: Optional[str]
    retry: bool
    steps: int
    events: int
    log: str
    archive: str


@dataclass(frozen=True)
class Event:
    """One event of a session's log."""

    seq: int
    type: str
    at: str
    step: Optional[int]
    message_id: Optional[str]
    outcome: str
    detail: Json
    digest: str


@dataclass(frozen=True)
class Instance:
    """An instance of a task: for sessions that run in a sandbox of your own."""

    instance_id: str
    task_digest: str
    digest: str
    difficulty: Optional[str]
    instruction: str
    environment: Dict[str, str] = field(repr=False)
    files: List[Json] = field(repr=False)


@dataclass(frozen=True)
class Reward:
    """A reward item. Learn from it only when `usable`: an outage or a refusal is never a zero."""

    id: str
    status: str
    reward: float
    score: float
    reward_components: Dict[str, float]
    train_weight: float
    mask_sample: bool
    failure_kind: str
    failure_reason: str
    fault: str
    outcome: str
    integrity: str
    assurance: str
    flags: List[str]
    metrics: Dict[str, float]
    group: Json
    verdict_id: str
    evidence_uri: str
    cached: bool
    latency_ms: float

    @property
    def usable(self) -> bool:
        """Whether a trainer may learn from it."""
        return self.status == "scored" and not self.mask_sample


class _Acting(Generic[Acted]):
    """The actions of a session, once for both kinds of client."""

    def act(
        self, environment: str, action: str, parameters: Mapping[str, Any], *, message_id: Optional[str] = None,
        tokens: int = 0,
    ) -> Acted:
        """Makes one step, once: asked again after a lost answer, the service knows it by an id and gives the same."""
        raise NotImplementedError

    def shell(
        self, command: str, *, timeout_sec: float = COMMAND_SEC, stdin: Optional[str] = None,
        message_id: Optional[str] = None, tokens: int = 0,
    ) -> Acted:
        """Runs a command in bash; folder, variables and background programs stay from one to the next."""
        parameters: Json = {"command": command, "timeout_sec": timeout_sec}
        if stdin is not None:
            parameters["stdin"] = stdin
        return self.act("shell", "run", parameters, message_id=message_id, tokens=tokens)

    def read_file(self, path: str, *, message_id: Optional[str] = None, tokens: int = 0) -> Acted:
        """Gives a file's content; beyond some kilobytes its beginning and its end (see `is_whole`)."""
        return self.act("files", "read", {"path": path}, message_id=message_id, tokens=tokens)

    def write_file(
        self, path: str, content: Content, *, executable: bool = False, message_id: Optional[str] = None,
        tokens: int = 0,
    ) -> Acted:
        """Makes a file, with the folders above it, or replaces it."""
        parameters: Json = {"path": path, "executable": executable, **_content(content)}
        return self.act("files", "write", parameters, message_id=message_id, tokens=tokens)

    def patch_file(
        self, path: str, replace: str, by: str, *, message_id: Optional[str] = None, tokens: int = 0
    ) -> Acted:
        """Replaces a text that stands in a file exactly once."""
        parameters = {"path": path, "replace": replace, "with": by}
        return self.act("files", "patch", parameters, message_id=message_id, tokens=tokens)

    def remove_file(self, path: str, *, message_id: Optional[str] = None, tokens: int = 0) -> Acted:
        """Removes a file or a link."""
        return self.act("files", "remove", {"path": path}, message_id=message_id, tokens=tokens)

    def list_files(self, path: str = "/work", *, message_id: Optional[str] = None, tokens: int = 0) -> Acted:
        """Lists a folder; `data["entries"]` has names, kinds and sizes."""
        return self.act("files", "list", {"path": path}, message_id=message_id, tokens=tokens)


class Session(_Acting[Observation]):
    """An open session. As a context it is finished at the end, and abandoned when an exception leaves it."""

    def __init__(self, client: Client, session_id: str, info: Optional[SessionInfo] = None) -> None:
        self._client = client
        self.id = session_id
        self.info = info
        self.end: Optional[End] = None

    def __repr__(self) -> str:
        return f"Session({self.id!r})"

    @property
    def instruction(self) -> str:
        """What the agent is asked to do; empty where it was told to somebody else (`Client.session`)."""
        return (self.info.instruction if self.info is not None else None) or ""

    def act(
        self, environment: str, action: str, parameters: Mapping[str, Any], *, message_id: Optional[str] = None,
        tokens: int = 0,
    ) -> Observation:
        return self._client.act(self.id, environment, action, parameters, message_id=message_id, tokens=tokens)

    def observe(self, *, after: int = 0, follow: bool = False) -> Iterator[Event]:
        """See `Client.observe`."""
        return self._client.observe(self.id, after=after, follow=follow)

    def finish(self) -> End:
        """Ends it and hands in what it left; asked again, it gives the same."""
        self.end = self._client.finish(self.id)
        return self.end

    def abandon(self) -> End:
        """Ends it without handing anything in."""
        self.end = self._client.abandon(self.id)
        return self.end

    def wait_for_reward(self, *, timeout: float = 600.0) -> Reward:
        """The reward of what this session handed in; see `Client.wait_for_reward`."""
        return self._client.wait_for_reward(_handed_in(self.end), timeout=timeout)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self.end is not None:
            return
        if kind is None:
            self.finish()
            return
        try:
            self.abandon()
        except ProctorError:
            pass  # the first error is the one to tell; the session ends by its own time


class Client:
    """Calls the sessions API. Without arguments it reads PROCTOR_URL and PROCTOR_KEY. Safe to share between threads."""

    def __init__(self, base_url: Optional[str] = None, key: Optional[str] = None, timeout: float = 120.0) -> None:
        self.base_url = _checked_url(base_url or os.environ.get("PROCTOR_URL", ""))
        self._key = _checked_key(key or os.environ.get("PROCTOR_KEY", ""))
        self.timeout = timeout
        # a redirect would carry the key and the call to a place that nobody named
        self._opener = urllib.request.build_opener(_NoRedirects)

    def __repr__(self) -> str:
        return f"Client({self.base_url!r})"

    def open_session(
        self, task: Optional[str] = None, *, instance_id: Optional[str] = None, seed: Optional[str] = None,
        difficulty: Optional[str] = None, phase: Optional[str] = None, idempotency_key: Optional[str] = None,
    ) -> Session:
        """Opens a workspace on a new instance of a task, or on an instance that is there. `phase` is `train` or `eval`."""
        named = {"task": task, "instance_id": instance_id, "seed": seed, "difficulty": difficulty, "phase": phase}
        body = {name: value for name, value in named.items() if value is not None}
        body["idempotency_key"] = idempotency_key or str(uuid.uuid4())
        info = _made(SessionInfo, self._call("POST", "/v1/sessions", body, safe=True))
        return Session(self, info.session_id, info)

    def session(self, session_id: str) -> Session:
        """A session that was opened before, to go on with."""
        return Session(self, session_id)

    def act(
        self, session_id: str, environment: str, action: str, parameters: Mapping[str, Any], *,
        message_id: Optional[str] = None, tokens: int = 0,
    ) -> Observation:
        """Makes one step of a session."""
        body: Json = {"environment": environment, "action": action, "parameters": dict(parameters), "tokens": tokens}
        body["step_id"] = str(uuid.uuid4())
        if message_id is not None:
            body["message_id"] = message_id
        told = parameters.get("timeout_sec", COMMAND_SEC)
        timeout = max(self.timeout, ANSWER_SEC + (told if isinstance(told, (int, float)) else 0))
        return _observation(self._call("POST", _path(session_id, "/act"), body, safe="when-lost", timeout=timeout))

    def observe(self, session_id: str, *, after: int = 0, follow: bool = False) -> Iterator[Event]:
        """All events of a session's log from a number on. With `follow` it waits for more, until the session's end."""
        while True:
            page = self._page(session_id, after)
            for event in page.events:
                after = event.seq
                yield event
            if page.is_last(after, follow):
                return
            if not page.events:
                time.sleep(FIRST_PAUSE_SEC)

    def finish(self, session_id: str) -> End:
        """Ends a session and hands in what it left."""
        return _made(End, self._call("POST", _path(session_id, "/finish"), {}, safe=True))

    def abandon(self, session_id: str) -> End:
        """Ends a session without handing anything in."""
        return _made(End, self._call("DELETE", _path(session_id), safe=True))

    def import_session(
        self, instance_id: str, files: Mapping[str, Content], steps: Sequence[Mapping[str, Any]], *,
        executable: Collection[str] = (), idempotency_key: Optional[str] = None,
    ) -> End:
        """Hands in a session that ran elsewhere. A step is `{"action", "observation", "message_id"?, "at"?}`."""
        sent = [{"path": path, "executable": path in executable, **_content(text)} for path, text in files.items()]
        body = {"instance_id": instance_id, "files": sent, "steps": [dict(step) for step in steps]}
        body["idempotency_key"] = idempotency_key or str(uuid.uuid4())
        return _made(End, self._call("POST", "/v1/sessions/import", body, safe=True))

    def new_instance(
        self, task: str, *, seed: Optional[str] = None, difficulty: Optional[str] = None, phase: Optional[str] = None,
    ) -> Instance:
        """Draws an instance of a task. A repeated call would only leave one that nobody uses, so it is repeated."""
        named = {"task": task, "seed": seed, "difficulty": difficulty, "phase": phase}
        body = {name: value for name, value in named.items() if value is not None}
        return _made(Instance, self._call("POST", "/v1/instances", body, safe=True))

    def environments(self) -> List[Json]:
        """The ways to act, with a JSON Schema of each action's parameters."""
        return cast(List[Json], self._call("GET", "/v1/environments", safe=True)["environments"])

    def submission(self, submission_id: str) -> Json:
        """What was handed in, and how far the work on it is."""
        return self._call("GET", f"/v1/submissions/{_quoted(submission_id)}", safe=True)

    def wait_for_reward(self, submission_id: str, *, timeout: float = 600.0) -> Reward:
        """Waits until something is graded. `no-reward` when the time is over: ask again, and the same grade goes on."""
        until = time.monotonic() + timeout
        while True:
            left = max(0.0, until - time.monotonic())
            slice_sec = min(left, REWARD_SLICE_SEC)
            items = [{"id": submission_id, "submission_id": submission_id}]
            body = {"items": items, "deadline_ms": round(slice_sec * 1000)}
            wait_sec = max(self.timeout, slice_sec + ANSWER_SEC)
            reply = self._call("POST", "/v1/rewards", body, safe=True, timeout=wait_sec)
            reward = _made(Reward, reply["items"][0])
            if reward.status != "pending":
                return reward
            if left <= REWARD_SLICE_SEC:
                raise ProctorError("no-reward", f"{submission_id} was not graded in {timeout:g} s", mend="ask again")

    def _page(self, session_id: str, after: int) -> _Page:
        reply = self._call("GET", _path(session_id, f"/observe?after={after}&limit={PAGE}"), safe=True)
        end = None if reply["end"] is None else _made(End, reply["end"])
        return _Page([_made(Event, event) for event in reply["events"]], end)

    def _call(
        self, method: str, path: str, body: Optional[Json] = None, *, safe: Safety, timeout: Optional[float] = None
    ) -> Json:
        tried = 1
        while True:
            try:
                return self._once(method, path, body, timeout or self.timeout)
            except ProctorError as error:
                pause = _pause_sec(error, tried, safe)
                if pause is None:
                    raise
            time.sleep(pause)
            tried += 1

    def _once(self, method: str, path: str, body: Optional[Json], timeout: float) -> Json:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base_url + path, data=data, method=method)
        request.add_unredirected_header("Authorization", f"Bearer {self._key}")
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with self._opener.open(request, timeout=timeout) as reply:
                return _object(reply.read(), reply.status)
        except urllib.error.HTTPError as error:
            with error:
                raise _error_of(error) from None
        except (OSError, HTTPException) as error:
            raise _unanswered(self.base_url, error) from error


@dataclass(frozen=True)
class _Page:
    events: List[Event]
    end: Optional[End]

    def is_last(self, after: int, follow: bool) -> bool:
        if follow:
            return self.end is not None and after >= self.end.events
        return len(self.events) < PAGE


class AsyncSession(_Acting[Awaitable[Observation]]):
    """`Session` to await."""

    def __init__(self, client: AsyncClient, session_id: str, info: Optional[SessionInfo] = None) -> None:
        self._client = client
        self.id = session_id
        self.info = info
        self.end: Optional[End] = None

    def __repr__(self) -> str:
        return f"AsyncSession({self.id!r})"

    @property
    def instruction(self) -> str:
        """What the agent is asked to do."""
        return (self.info.instruction if self.info is not None else None) or ""

    async def act(
        self, environment: str, action: str, parameters: Mapping[str, Any], *, message_id: Optional[str] = None,
        tokens: int = 0,
    ) -> Observation:
        return await self._client.act(self.id, environment, action, parameters, message_id=message_id, tokens=tokens)

    def observe(self, *, after: int = 0, follow: bool = False) -> AsyncIterator[Event]:
        """See `Client.observe`."""
        return self._client.observe(self.id, after=after, follow=follow)

    async def finish(self) -> End:
        """Ends it and hands in what it left."""
        self.end = await self._client.finish(self.id)
        return self.end

    async def abandon(self) -> End:
        """Ends it without handing anything in."""
        self.end = await self._client.abandon(self.id)
        return self.end

    async def wait_for_reward(self, *, timeout: float = 600.0) -> Reward:
        """The reward of what this session handed in."""
        return await self._client.wait_for_reward(_handed_in(self.end), timeout=timeout)

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self.end is not None:
            return
        if kind is None:
            await self.finish()
            return
        try:
            await self.abandon()
        except ProctorError:
            pass  # as in Session


class AsyncClient:
    """`Client` to await: its calls run in threads, at most `max_concurrency` at once.

    A cancelled call is no longer waited for, and goes on by itself; abandoning its session ends it.
    """

    def __init__(
        self, base_url: Optional[str] = None, key: Optional[str] = None, timeout: float = 120.0,
        max_concurrency: int = 64,
    ) -> None:
        self._client = Client(base_url, key, timeout)
        self._threads = ThreadPoolExecutor(max_concurrency, thread_name_prefix="proctor-client")

    def __repr__(self) -> str:
        return f"AsyncClient({self._client.base_url!r})"

    async def open_session(
        self, task: Optional[str] = None, *, instance_id: Optional[str] = None, seed: Optional[str] = None,
        difficulty: Optional[str] = None, phase: Optional[str] = None, idempotency_key: Optional[str] = None,
    ) -> AsyncSession:
        """See `Client.open_session`; use it as `async with await client.open_session(…) as session`."""
        opened = await self._run(
            self._client.open_session, task, instance_id=instance_id, seed=seed, difficulty=difficulty, phase=phase,
            idempotency_key=idempotency_key,
        )
        return AsyncSession(self, opened.id, opened.info)

    def session(self, session_id: str) -> AsyncSession:
        """A session that was opened before."""
        return AsyncSession(self, session_id)

    async def act(
        self, session_id: str, environment: str, action: str, parameters: Mapping[str, Any], *,
        message_id: Optional[str] = None, tokens: int = 0,
    ) -> Observation:
        """See `Client.act`."""
        return await self._run(
            self._client.act, session_id, environment, action, parameters, message_id=message_id, tokens=tokens
        )

    async def observe(self, session_id: str, *, after: int = 0, follow: bool = False) -> AsyncIterator[Event]:
        """See `Client.observe`."""
        while True:
            page = await self._run(self._client._page, session_id, after)
            for event in page.events:
                after = event.seq
                yield event
            if page.is_last(after, follow):
                return
            if not page.events:
                await asyncio.sleep(FIRST_PAUSE_SEC)

    async def finish(self, session_id: str) -> End:
        """See `Client.finish`."""
        return await self._run(self._client.finish, session_id)

    async def abandon(self, session_id: str) -> End:
        """See `Client.abandon`."""
        return await self._run(self._client.abandon, session_id)

    async def import_session(
        self, instance_id: str, files: Mapping[str, Content], steps: Sequence[Mapping[str, Any]], *,
        executable: Collection[str] = (), idempotency_key: Optional[str] = None,
    ) -> End:
        """See `Client.import_session`."""
        return await self._run(
            self._client.import_session, instance_id, files, steps, executable=executable,
            idempotency_key=idempotency_key,
        )

    async def new_instance(
        self, task: str, *, seed: Optional[str] = None, difficulty: Optional[str] = None, phase: Optional[str] = None,
    ) -> Instance:
        """See `Client.new_instance`."""
        return await self._run(self._client.new_instance, task, seed=seed, difficulty=difficulty, phase=phase)

    async def environments(self) -> List[Json]:
        """See `Client.environments`."""
        return await self._run(self._client.environments)

    async def submission(self, submission_id: str) -> Json:
        """See `Client.submission`."""
        return await self._run(self._client.submission, submission_id)

    async def wait_for_reward(self, submission_id: str, *, timeout: float = 600.0) -> Reward:
        """See `Client.wait_for_reward`."""
        return await self._run(self._client.wait_for_reward, submission_id, timeout=timeout)

    async def aclose(self) -> None:
        """Gives the threads back."""
        self._threads.shutdown(wait=False)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _run(self, work: Callable[..., Made], *given: Any, **named: Any) -> Made:
        call = functools.partial(work, *given, **named)
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _pause_sec(error: ProctorError, tried: int, safe: Safety) -> Optional[float]:
    """How long to wait before the next try; None: there is none."""
    lost = error.code == "no-answer"
    passing = error.status in PASSING_STATUSES and error.code not in LASTING
    # a step that the service calls void may have done something: whether to make it again is the harness's to say
    may_repeat = error.code == "unreachable" or (bool(safe) and lost) or (safe is True and passing)
    if not may_repeat or tried >= MOST_TRIES:
        return None
    if error.retry_after is not None:
        return error.retry_after if error.retry_after <= LONGEST_PAUSE_SEC else None
    # spread, so that harnesses that were cut off together do not come back together
    return FIRST_PAUSE_SEC * 2.0 ** (tried - 1) * random.uniform(0.75, 1.25)


def _unanswered(base_url: str, error: Exception) -> ProctorError:
    """The error of a call without an answer. Refused and not found are known from before anything was sent."""
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, (ConnectionRefusedError, socket.gaierror)):
        return ProctorError("unreachable", f"nothing listens at {base_url}: {reason}", mend="check PROCTOR_URL")
    mend = "look with observe what became of it before you do it again"
    return ProctorError("no-answer", f"{base_url} gave no answer: {str(reason) or type(reason).__name__}", mend=mend)


def _error_of(reply: urllib.error.HTTPError) -> ProctorError:
    after = reply.headers.get("retry-after") or ""
    retry_after = float(after) if after.isdigit() else None
    try:
        told: Json = json.loads(reply.read())["error"]
        return ProctorError(
            str(told["code"]), str(told["message"]), fault=str(told["fault"]), mend=str(told["mend"]),
            details=told["details"], request_id=told["request_id"], status=reply.code, retry_after=retry_after,
        )
    except (ValueError, KeyError, TypeError, OSError, HTTPException):
        message = f"status {reply.code} without an error of Proctor's form"
        return ProctorError("bad-reply", message, mend="check PROCTOR_URL", status=reply.code, retry_after=retry_after)


def _object(text: bytes, status: int) -> Json:
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = None
    if isinstance(parsed, dict):
        return parsed
    raise ProctorError("bad-reply", "the answer is not a JSON object", mend="check PROCTOR_URL", status=status)


def _made(kind: Type[Made], raw: Json) -> Made:
    """Takes the fields that are known; a newer service may tell more."""
    names = [known.name for known in dataclasses.fields(kind)]  # type: ignore[arg-type]
    missing = [name for name in names if name not in raw]
    if missing:
        raise ProctorError("bad-reply", f"the answer has no {', '.join(missing)}", mend="check the service's version")
    return kind(**{name: raw[name] for name in names})


def _observation(raw: Json) -> Observation:
    made = _made(Observation, raw)
    return dataclasses.replace(
        made,
        error=None if raw["error"] is None else _made(ActionError, raw["error"]),
        outputs=tuple(_made(Output, output) for output in raw["outputs"]),
        feedback=_made(Feedback, raw["feedback"]),
    )


def _handed_in(end: Optional[End]) -> str:
    if end is None:
        raise ProctorError("no-reward", "the session is not finished", fault="caller", mend="finish it first")
    if end.submission_id is None:
        message = f"the session is {end.outcome} and handed nothing in: {end.reason or 'no reason was told'}"
        raise ProctorError("no-reward", message, fault=end.fault)
    return end.submission_id


def _content(content: Content) -> Json:
    if isinstance(content, bytes):
        return {"content_base64": base64.b64encode(content).decode()}
    return {"content": content}


def _checked_url(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("no address: give base_url, or set PROCTOR_URL, as http://HOST:PORT")
    if "@" in parts.netloc:
        raise ValueError("the address has a password in it: a key goes into key or PROCTOR_KEY")
    return url.rstrip("/")


def _checked_key(key: str) -> str:
    """Refused here, without its text: what the HTTP library says of a bad header has the whole of it."""
    if re.fullmatch(r"[\x21-\x7e]+", key.strip()):
        return key.strip()
    raise ValueError("no key that could be one: give key, or set PROCTOR_KEY")


def _quoted(name: str) -> str:
    return urllib.parse.quote(name, safe="")


def _path(session_id: str, rest: str = "") -> str:
    return f"/v1/sessions/{_quoted(session_id)}{rest}"
