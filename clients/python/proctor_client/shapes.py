"""What the service answers, as typed objects."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple, Type, TypeVar, cast

from .errors import Outage, ProctorError, error_of

Json = Dict[str, Any]
Made = TypeVar("Made")


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


def made(kind: Type[Made], raw: Json) -> Made:
    """Takes the fields that are known; a newer service may tell more."""
    names = [known.name for known in dataclasses.fields(kind)]  # type: ignore[arg-type]
    missing = [name for name in names if name not in raw]
    if missing:
        raise Outage("bad-reply", f"the answer has no {', '.join(missing)}", mend="check the service's version")
    return kind(**{name: raw[name] for name in names})


def observation_of(raw: Json) -> Observation:
    """An observation as it was answered."""
    seen = made(Observation, raw)
    return dataclasses.replace(
        seen,
        error=None if raw["error"] is None else made(ActionError, raw["error"]),
        outputs=tuple(made(Output, output) for output in raw["outputs"]),
        feedback=made(Feedback, raw["feedback"]),
    )


def handed_in(end: Optional[End]) -> str:
    """The id of what a session handed in."""
    if end is None:
        raise error_of("no-reward", "the session is not finished", fault="caller", mend="finish it first")
    if end.submission_id is None:
        message = f"the session is {end.outcome} and handed nothing in: {end.reason or 'no reason was told'}"
        raise ProctorError("no-reward", message, fault=end.fault)
    return end.submission_id
