"""What a call can end with, when it does not end with an answer."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple


class ProctorError(Exception):
    """A call that failed.

    The service's own codes stand in docs/errors.md. The client adds four: `unreachable` (nothing was sent), `no-answer`
    (it was sent, and what became of it is unknown), `bad-reply` (not an answer of Proctor), `no-reward` (nothing was
    handed in, or its grade was not there in time).
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        fault: str = "platform",
        mend: str = "",
        details: Optional[Dict[str, Any]] = None,
        request_id: Optional[str] = None,
        status: Optional[int] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.fault = fault
        self.message = message
        self.mend = mend
        self.details: Dict[str, Any] = {} if details is None else details
        self.request_id = request_id
        self.status = status
        self.retry_after = retry_after

    def __reduce__(self) -> Tuple[Any, ...]:
        # errors cross processes in trainers, and what is pickled by default lacks what was named
        return _rebuilt, (type(self), self.code, self.message, dict(self.__dict__))


class BadRequest(ProctorError):
    """The call is wrong, and no later try of it will do: mend the call, the key or the address."""


class Outage(ProctorError):
    """The service did not do its part, or was not reached. Says nothing of the work to be graded: never a zero."""


class Withheld(ProctorError):
    """A sample without a reward to learn from, for trainers where an exception is what drops it. See `reward`."""

    def __init__(self, code: str, message: str, **more: Any) -> None:
        super().__init__(code, message, **more)
        #: The item of the answer, when there was one.
        self.reward: Any = None


def error_of(code: str, message: str, *, fault: str = "platform", **more: Any) -> ProctorError:
    """The error of the class that its fault says."""
    kinds = {"caller": BadRequest, "platform": Outage, "defect": Outage, "evidence": Outage}
    return kinds.get(fault, ProctorError)(code, message, fault=fault, **more)


def _rebuilt(kind: Any, code: str, message: str, state: Dict[str, Any]) -> ProctorError:
    error: ProctorError = kind(code, message)
    error.__dict__.update(state)
    return error
