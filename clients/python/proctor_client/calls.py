"""What both transports have in common: a call, its answer, its errors, and when it is made again."""

from __future__ import annotations

import base64
import json
import random
import re
import socket
import time
import urllib.parse
from dataclasses import dataclass
from typing import Any, Dict, Generator, Mapping, Optional, TypeVar, Union

from .errors import Outage, ProctorError, error_of

Json = Dict[str, Any]
Content = Union[str, bytes]
#: Whether a call may be made again: also after a passing fault (True), only when its answer was lost, or not at all.
Safety = Union[bool, str]
Made = TypeVar("Made")

MOST_TRIES = 5
FIRST_PAUSE_SEC = 0.5
LONGEST_PAUSE_SEC = 60.0
#: Between two tries of a call that has a deadline of its own.
LONGEST_BACK_OFF_SEC = 15.0
#: What an answer may take on top of the work that was asked for.
ANSWER_SEC = 30.0
#: An idle connection is not used again after this time; the service closes its side after 72 s.
IDLE_SEC = 30.0
#: Told with 503 too, and no later try of the same call mends them.
LASTING = frozenset({"capability-missing", "lease-lost"})
PASSING_STATUSES = frozenset({429, 502, 503, 504})


@dataclass(frozen=True)
class Call:
    """One request. `timeout` is in seconds: of the whole for `AsyncClient`, of each silence for `Client`."""

    method: str
    path: str
    body: Optional[Json] = None
    timeout: Optional[float] = None


@dataclass(frozen=True)
class Pause:
    """A wait between two calls, in seconds."""

    seconds: float


#: A procedure: yields calls (an answer or an error comes back) and pauses, and returns what it made of them.
Steps = Generator[Union[Call, Pause], Any, Made]


def repeated(call: Call, safe: Safety) -> Steps[Json]:
    """A call, made again at most four times where that is safe."""
    tried = 1
    while True:
        try:
            answer: Json = yield call
            return answer
        except ProctorError as error:
            pause = pause_sec(error, tried, safe)
            if pause is None:
                raise
        yield Pause(pause)
        tried += 1


def pause_sec(error: ProctorError, tried: int, safe: Safety) -> Optional[float]:
    """How long to wait before the next try; None: there is none."""
    lost = error.code == "no-answer"
    # a step that the service calls void may have done something: whether to make it again is the harness's to say
    may_repeat = error.code == "unreachable" or (bool(safe) and lost) or (safe is True and is_passing(error))
    if not may_repeat or tried >= MOST_TRIES:
        return None
    if error.retry_after is not None:
        return error.retry_after if error.retry_after <= LONGEST_PAUSE_SEC else None
    # spread, so that harnesses that were cut off together do not come back together
    return FIRST_PAUSE_SEC * 2.0 ** (tried - 1) * random.uniform(0.75, 1.25)


def pause_until(error: ProctorError, tried: int, until: float) -> Optional[float]:
    """The same for a call with a deadline (of `time.monotonic`): as many tries as fit before it."""
    if not (is_passing(error) or error.code in ("unreachable", "no-answer")):
        return None
    back_off = min(LONGEST_BACK_OFF_SEC, FIRST_PAUSE_SEC * 2.0 ** min(tried - 1, 10)) * random.uniform(0.5, 1.0)
    pause = back_off if error.retry_after is None else error.retry_after + random.uniform(0.0, 0.1 * back_off)
    return pause if time.monotonic() + pause < until else None


def is_passing(error: ProctorError) -> bool:
    """Whether the service said that the same call may succeed later."""
    if error.status not in PASSING_STATUSES or error.code in LASTING:
        return False
    return error.fault != "caller" or error.retry_after is not None


def unanswered(base_url: str, error: BaseException) -> Outage:
    """The error of a call without an answer. Refused and not found are known from before anything was sent."""
    if isinstance(error, (ConnectionRefusedError, socket.gaierror)):
        return Outage("unreachable", f"nothing listens at {base_url}: {error}", mend="check PROCTOR_URL")
    mend = "look with observe what became of it before you do it again"
    return Outage("no-answer", f"{base_url} gave no answer: {str(error) or type(error).__name__}", mend=mend)


def answer_of(status: int, headers: Mapping[str, str], text: bytes) -> Json:
    """The object that was answered; raises what the service refused."""
    if not 200 <= status < 300:
        raise refusal_of(status, headers, text)
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = None
    if isinstance(parsed, dict):
        return parsed
    raise Outage("bad-reply", "the answer is not a JSON object", mend="check PROCTOR_URL", status=status)


def refusal_of(status: int, headers: Mapping[str, str], text: bytes) -> ProctorError:
    """The error that the service told, or one that says that it was not Proctor's."""
    after = headers.get("retry-after") or ""
    retry_after = float(after) if re.fullmatch(r"\d{1,9}", after) else None
    try:
        told = json.loads(text)["error"]
        return error_of(
            str(told["code"]), str(told["message"]), fault=str(told["fault"]), mend=str(told.get("mend", "")),
            details=told.get("details"), request_id=told.get("request_id"), status=status, retry_after=retry_after,
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        message = f"status {status} without an error of Proctor's form"
        return Outage("bad-reply", message, mend="check PROCTOR_URL", status=status, retry_after=retry_after)


def content_of(content: Content) -> Json:
    """A file's content as it is sent."""
    if isinstance(content, bytes):
        return {"content_base64": base64.b64encode(content).decode()}
    return {"content": content}


def checked_url(url: str) -> str:
    """The address of a service, without a slash at its end."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("no address: give base_url, or set PROCTOR_URL, as http://HOST:PORT")
    if "@" in parts.netloc:
        raise ValueError("the address has a password in it: a key goes into key or PROCTOR_KEY")
    return url.rstrip("/")


def checked_key(key: str) -> str:
    """Refused here, without its text: what the HTTP library says of a bad header has the whole of it."""
    if re.fullmatch(r"[\x21-\x7e]+", key.strip()):
        return key.strip()
    raise ValueError("no key that could be one: give key, or set PROCTOR_KEY")


def quoted(name: str) -> str:
    """A name as a part of a path."""
    return urllib.parse.quote(name, safe="")


def session_path(session_id: str, rest: str = "") -> str:
    """The path of a session."""
    return f"/v1/sessions/{quoted(session_id)}{rest}"
