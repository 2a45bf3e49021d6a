"""Each thing that a client does, once for both kinds: what is called, what of it is repeated, and what comes of it."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from typing import Any, Collection, List, Mapping, Optional, Sequence, cast

from .calls import (
    ANSWER_SEC,
    FIRST_PAUSE_SEC,
    Call,
    Content,
    Json,
    Pause,
    Steps,
    content_of,
    quoted,
    repeated,
    session_path,
)
from .errors import Outage
from .rewards import SLICE_SEC, Reward, reward_of
from .session import COMMAND_SEC
from .shapes import End, Event, Instance, Observation, SessionInfo, made, observation_of

PAGE = 500


@dataclass(frozen=True)
class Page:
    """A part of a session's log."""

    events: List[Event]
    end: Optional[End]

    def is_last(self, after: int, follow: bool) -> bool:
        """Whether nothing comes after it."""
        if follow:
            return self.end is not None and after >= self.end.events
        return len(self.events) < PAGE


def open_session(fields: Mapping[str, Any]) -> Steps[SessionInfo]:
    """See `Client.open_session`."""
    body = {name: value for name, value in fields.items() if value is not None}
    body.setdefault("idempotency_key", str(uuid.uuid4()))
    return made(SessionInfo, (yield from repeated(Call("POST", "/v1/sessions", body), True)))


def act(session_id: str, step: Json, timeout: float) -> Steps[Observation]:
    """See `Client.act`. A step has an id, so that one whose answer was lost is made once."""
    body = {name: value for name, value in step.items() if value is not None}
    body["step_id"] = str(uuid.uuid4())
    told = body["parameters"].get("timeout_sec", COMMAND_SEC)
    wait_sec = max(timeout, ANSWER_SEC + (told if isinstance(told, (int, float)) else 0))
    call = Call("POST", session_path(session_id, "/act"), body, wait_sec)
    return observation_of((yield from repeated(call, "when-lost")))


def page(session_id: str, after: int) -> Steps[Page]:
    """A part of the log from a number on."""
    path = session_path(session_id, f"/observe?after={after}&limit={PAGE}")
    reply = yield from repeated(Call("GET", path), True)
    end = None if reply["end"] is None else made(End, reply["end"])
    return Page([made(Event, event) for event in reply["events"]], end)


def finish(session_id: str) -> Steps[End]:
    """See `Client.finish`."""
    return made(End, (yield from repeated(Call("POST", session_path(session_id, "/finish"), {}), True)))


def abandon(session_id: str) -> Steps[End]:
    """See `Client.abandon`."""
    return made(End, (yield from repeated(Call("DELETE", session_path(session_id)), True)))


def import_session(
    instance_id: str,
    files: Mapping[str, Content],
    steps: Sequence[Mapping[str, Any]],
    executable: Collection[str],
    fields: Mapping[str, Any],
) -> Steps[End]:
    """See `Client.import_session`."""
    sent = [{"path": path, "executable": path in executable, **content_of(text)} for path, text in files.items()]
    body: Json = {"instance_id": instance_id, "files": sent, "steps": [dict(step) for step in steps]}
    body.update({name: value for name, value in fields.items() if value is not None})
    body.setdefault("idempotency_key", str(uuid.uuid4()))
    return made(End, (yield from repeated(Call("POST", "/v1/sessions/import", body), True)))


def new_instance(fields: Mapping[str, Any]) -> Steps[Instance]:
    """See `Client.new_instance`."""
    body = {name: value for name, value in fields.items() if value is not None}
    return made(Instance, (yield from repeated(Call("POST", "/v1/instances", body), True)))


def environments() -> Steps[List[Json]]:
    """See `Client.environments`."""
    return cast(List[Json], (yield from repeated(Call("GET", "/v1/environments"), True))["environments"])


def submission(submission_id: str) -> Steps[Json]:
    """See `Client.submission`."""
    return (yield from repeated(Call("GET", f"/v1/submissions/{quoted(submission_id)}"), True))


def wait_for_reward(submission_id: str, timeout: float) -> Steps[Reward]:
    """See `Client.wait_for_reward`."""
    until = time.monotonic() + timeout
    while True:
        left = max(0.0, until - time.monotonic())
        slice_sec = min(left, SLICE_SEC)
        items = [{"id": submission_id, "submission_id": submission_id}]
        body: Json = {"items": items, "deadline_ms": round(slice_sec * 1000)}
        reply = yield from repeated(Call("POST", "/v1/rewards", body, slice_sec + ANSWER_SEC), True)
        reward = reward_of(reply["items"][0])
        if reward.status != "pending":
            return reward
        if left <= SLICE_SEC:
            raise Outage("no-reward", f"{submission_id} was not graded in {timeout:g} s", mend="ask again")
        yield Pause(FIRST_PAUSE_SEC)
