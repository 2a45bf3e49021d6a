"""The parts of a batch put together, and a batch that is streamed."""

from __future__ import annotations

import json
import time
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Union

from .calls import Call, Json, pause_until
from .errors import BadRequest, Outage, ProctorError
from .rewards import LOOK_SEC, Batch, Reward, masked, regrouped, reward_of

#: Is told how many of how many items are settled.
Progress = Callable[[int, int], None]


def reward_fields(
    request_id: Optional[str],
    run_id: Optional[str],
    step: Optional[int],
    policy_version: Optional[str],
    phase: Optional[str],
) -> Json:
    """The fields of a call by the names of the service."""
    named = {"request_id": request_id, "run_id": run_id, "step": step, "policy_version": policy_version, "phase": phase}
    return {name: value for name, value in named.items() if value is not None}


class Merge:
    """Answers of parts, in the order of the items that were asked."""

    def __init__(self, items: Sequence[Json], progress: Optional[Progress]) -> None:
        self._items = items
        self._progress = progress
        self._made: Dict[str, Reward] = {}

    def add(self, made: Dict[str, Reward]) -> None:
        """Takes what one part came to."""
        self._made.update(made)
        if self._progress is not None:
            self._progress(sum(one.status != "pending" for one in self._made.values()), len(self._items))

    def rewards(self) -> List[Reward]:
        """All of them, with the statistics of their groups."""
        return regrouped([self._made[item["id"]] for item in self._items], self._items)


class Stream:
    """One part that is streamed: what is still open, and what to do when the stream breaks."""

    ACCEPT = "application/x-ndjson, application/json;q=0.5"
    FAULTS = (ProctorError,)

    def __init__(self, batch: Batch, items: Sequence[Json]) -> None:
        self._batch = batch
        self.open: Dict[str, Json] = {item["id"]: item for item in items}
        #: Seconds to wait before the next call.
        self.pause = 0.0
        self._tried = 0
        self._last: Dict[str, Reward] = {}

    def call(self) -> Call:
        """A call for what is open."""
        return self._batch.call(list(self.open.values()))

    def read(self, line: bytes) -> Iterator[Reward]:
        """The items of a line that are settled and were not given before."""
        for reward in streamed(line):
            if reward.id not in self.open:
                continue
            self._tried = 0
            if reward.status == "pending":
                self._last[reward.id] = reward
                continue
            del self.open[reward.id]
            yield reward

    @property
    def is_late(self) -> bool:
        """Whether a stream that goes on is left."""
        return self._batch.is_late

    def ended(self) -> None:
        """The stream came to its end; what is open is asked for again."""
        self.pause = LOOK_SEC if self.open else 0.0

    def failed(self, error: ProctorError) -> Iterator[Reward]:
        """Waits for another try, or gives what is left up: as an error, or as masked items."""
        self._tried += 1
        pause = pause_until(error, self._tried, self._batch.until)
        if pause is not None:
            self.pause = pause
            return
        if isinstance(error, BadRequest) or not self._batch.mask_outage:
            raise error
        self.pause = 0.0
        for item_id in list(self.open):
            del self.open[item_id]
            yield masked(item_id, error)

    def given_up(self) -> Iterator[Reward]:
        """When the time is over: what is open, as pending and not usable."""
        if time.monotonic() < self._batch.until:
            return
        late = Outage("pending", "not graded before the deadline")
        for item_id in list(self.open):
            del self.open[item_id]
            yield self._last.get(item_id) or _pending(masked(item_id, late))


def streamed(line: Union[bytes, str]) -> Iterator[Reward]:
    """The items in a line of a stream, or in a whole answer of a service that does not stream."""
    text = line.strip()
    if not text:
        return
    try:
        raw = json.loads(text)
    except ValueError:
        raise Outage("bad-reply", "a line of the stream is not JSON", mend="check the service's version") from None
    if not isinstance(raw, dict):
        return
    if isinstance(raw.get("item"), dict):
        raw = raw["item"]
    if "id" in raw and "status" in raw:
        yield reward_of(raw)
    elif isinstance(raw.get("items"), list):
        yield from (reward_of(one) for one in raw["items"] if isinstance(one, dict) and "status" in one)


def _pending(reward: Reward) -> Reward:
    return Reward(**{**reward.__dict__, "status": "pending"})
