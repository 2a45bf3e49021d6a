"""A reward item, and the call for a batch of them: split, joined again, waited for, and never a zero for an outage."""

from __future__ import annotations

import dataclasses
import math
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set

from .calls import ANSWER_SEC, Call, Json, Pause, Steps, pause_until
from .errors import BadRequest, Outage, ProctorError

#: Items of one call that the service takes.
MAX_ITEMS = 1024
#: Of one call; shorter than what proxies usually cut off.
SLICE_SEC = 30.0
#: The least that a call is waited for, however little is left.
LEAST_ANSWER_SEC = 5.0
#: Of what is left, the part that is the service's; the rest is for its answer.
SERVICE_SHARE = 0.8
#: Between two looks at items that were answered as pending before their time was over.
LOOK_SEC = 0.5
STATUSES = frozenset({"scored", "quarantined", "unscored", "pending"})
#: An item as it is asked for: `id`, `group_id`, and `submission_id`, `session_id`, or what comes along.
Item = Mapping[str, Any]


@dataclass(frozen=True)
class Reward:
    """A reward item. Learn from it only when `usable`: an outage or a refusal is never a zero."""

    id: str
    status: str
    reward: float = 0.0
    score: float = 0.0
    reward_components: Dict[str, float] = field(default_factory=dict)
    train_weight: float = 0.0
    mask_sample: bool = True
    failure_kind: str = ""
    failure_reason: str = ""
    fault: str = "none"
    outcome: str = "ungraded"
    integrity: str = "unknown"
    assurance: str = ""
    flags: List[str] = field(default_factory=list)
    metrics: Dict[str, float] = field(default_factory=dict)
    group: Json = field(default_factory=dict)
    verdict_id: str = ""
    evidence_uri: str = ""
    cached: bool = False
    latency_ms: float = 0.0
    #: What a newer service tells besides.
    more: Json = field(default_factory=dict, repr=False)

    @property
    def usable(self) -> bool:
        """Whether a trainer may learn from it."""
        return self.status == "scored" and not self.mask_sample

    @property
    def weight(self) -> float:
        """How much it counts for learning: `train_weight`, and 0 when it is not usable."""
        return self.train_weight if self.usable else 0.0

    @property
    def value(self) -> Optional[float]:
        """The reward to learn from; None when there is none. Unlike `reward` it cannot be taken for a zero."""
        return self.reward if self.usable else None

    @property
    def n_valid(self) -> int:
        """Scored siblings, with this one; 0 when the service did not tell."""
        return int(self.group.get("n_valid", 0))

    @property
    def neutral_reward(self) -> float:
        """The mean of the scored siblings, which moves a baseline that is a mean as if this one were not there."""
        return float(self.group.get("neutral_reward", 0.0))


def reward_of(raw: Any) -> Reward:
    """An item of an answer. Lenient: what is missing or of an odd kind makes the item one not to learn from."""
    if not isinstance(raw, Mapping):
        raise Outage("bad-reply", "an item of the answer is not an object", mend="check the service's version")
    known = {one.name for one in dataclasses.fields(Reward)} - {"more"}
    told: Json = {name: raw[name] for name in known if raw.get(name) is not None}
    rest = {name: value for name, value in raw.items() if name not in known}
    is_sound = (
        told.get("status") in STATUSES
        and isinstance(told.get("mask_sample"), bool)
        and (told["status"] != "scored" or (_finite(told.get("reward")) and _finite(told.get("train_weight"))))
    )
    if not is_sound:
        told.update(status="unscored", mask_sample=True, fault="platform", failure_kind="proctor:bad-reply")
        told["failure_reason"] = "the item of the answer is not as documented"
    for name in ("reward", "score", "train_weight", "latency_ms"):
        told[name] = float(told[name]) if _finite(told.get(name)) else 0.0
    told["id"] = str(told.get("id", ""))
    return Reward(**told, more=rest)


def masked(item_id: str, error: ProctorError) -> Reward:
    """The item of a call that failed: not to learn from, and it says why."""
    reason = error.message[:500]
    kind = f"proctor:{error.code}"
    fault = error.fault if error.fault in ("caller", "task", "subject", "none") else "platform"
    return Reward(item_id, "unscored", failure_kind=kind, failure_reason=reason, fault=fault)


def with_ids(items: Sequence[Item]) -> List[Json]:
    """Copies with an `id` each: its place, where none was given."""
    made = [{**item, "id": str(item.get("id", place))} for place, item in enumerate(items)]
    seen: Set[str] = set()
    for item in made:
        if item["id"] in seen:
            raise BadRequest(
                "bad-request", f"two items have the id {item['id']!r}", fault="caller", mend="name them apart"
            )
        seen.add(item["id"])
    return made


def split(items: Sequence[Json], most: int = MAX_ITEMS) -> List[List[Json]]:
    """Parts of at most `most` items. A group stays together where it fits: its statistics are made in one call."""
    units: Dict[Any, List[Json]] = {}
    for item in items:
        group = item.get("group_id")
        units.setdefault(("alone", item["id"]) if group is None else ("group", str(group)), []).append(item)
    parts: List[List[Json]] = [[]]
    for unit in units.values():
        for begin in range(0, len(unit), most):
            piece = unit[begin : begin + most]
            if len(parts[-1]) + len(piece) > most:
                parts.append([])
            parts[-1].extend(piece)
    return parts


def regrouped(rewards: Sequence[Reward], items: Sequence[Json]) -> List[Reward]:
    """The rewards with the statistics of their groups over all of these: one call may have had only a part."""
    groups = [item.get("group_id") for item in items]
    siblings: Dict[str, List[Reward]] = {}
    for reward, group in zip(rewards, groups):
        if group is not None:
            siblings.setdefault(str(group), []).append(reward)
    made: List[Reward] = []
    for reward, group in zip(rewards, groups):
        family = [reward] if group is None else siblings[str(group)]
        valid = [one.reward for one in family if one.status == "scored"]
        told = reward.n_valid
        if len(valid) < told or (len(valid) == told and reward.group):
            made.append(reward)  # the service knows of siblings from other calls
            continue
        alone = "keep" if valid else "resample"
        advice = alone if group is None else "keep" if len(valid) >= 2 else "drop"
        neutral = math.fsum(valid) / len(valid) if valid else 0.0
        known = {"n_valid": len(valid), "advice": advice, "neutral_reward": neutral}
        made.append(dataclasses.replace(reward, group={**reward.group, **known}))
    return made


@dataclass(frozen=True)
class Batch:
    """What the calls for one batch have in common. `until` is of `time.monotonic`."""

    fields: Json
    until: float
    #: Whether items of a part that failed come back masked, instead of its error.
    mask_outage: bool

    def call(self, items: Sequence[Json]) -> Call:
        """One call for these items, with as much time as is left and fits into a slice."""
        left = max(0.0, self.until - time.monotonic())
        slice_sec = min(left * SERVICE_SHARE, SLICE_SEC)
        body = {**self.fields, "items": list(items), "deadline_ms": round(slice_sec * 1000)}
        return Call("POST", "/v1/rewards", body, min(slice_sec + ANSWER_SEC, max(left, LEAST_ANSWER_SEC)))

    @property
    def is_late(self) -> bool:
        """Whether nothing is waited for any longer."""
        return time.monotonic() > self.until + LEAST_ANSWER_SEC


def batch_of(fields: Mapping[str, Any], timeout: float, on_outage: str) -> Batch:
    """A batch with a `request_id`: every try has the same, so that it joins the running work."""
    if on_outage not in ("raise", "mask"):
        raise ValueError("on_outage is 'raise' or 'mask'")
    told = {name: value for name, value in fields.items() if value is not None}
    told.setdefault("request_id", str(uuid.uuid4()))
    return Batch(told, time.monotonic() + timeout, on_outage == "mask")


def collected(batch: Batch, items: Sequence[Json]) -> Steps[Dict[str, Reward]]:
    """Asks for the items of one part until none is pending or the time is over."""
    settled: Dict[str, Reward] = {}
    open_items = list(items)
    tried = 0
    while True:
        try:
            reply: Json = yield batch.call(open_items)
            settled.update(answered(reply, open_items))
        except ProctorError as error:
            tried += 1
            pause = pause_until(error, tried, batch.until)
            if pause is None:
                if isinstance(error, BadRequest) or not batch.mask_outage:
                    raise
                settled.update({item["id"]: masked(item["id"], error) for item in open_items})
                return settled
            yield Pause(pause)
            continue
        tried = 0
        open_items = [item for item in open_items if settled[item["id"]].status == "pending"]
        left = batch.until - time.monotonic()
        if not open_items or left <= 0:
            return settled
        yield Pause(min(LOOK_SEC, left))


def answered(reply: Json, items: Sequence[Json]) -> Dict[str, Reward]:
    """The items of an answer by their ids; it has as many as were asked, in the same order."""
    raw = reply.get("items")
    if not isinstance(raw, list) or len(raw) != len(items):
        raise Outage(
            "bad-reply", "the answer has not one item for each that was asked", mend="check the service's version"
        )
    return {item["id"]: dataclasses.replace(reward_of(one), id=item["id"]) for item, one in zip(items, raw)}


def _finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
