"""What all trainers' modules have in common: from a trainer's data to an item, and from an answer to a value."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from ..async_client import AsyncClient, shared_async_client
from ..calls import Json
from ..client import Client, shared_client
from ..errors import BadRequest, Withheld
from ..groups import thinning
from ..rewards import Reward

#: What names what is graded, the most certain first: of two of these only the first is sent.
NAMES = ("submission_id", "session_id", "instance_id", "task")
#: What is handed on of a sample's columns or metadata. Other columns of these data sets have common names, too.
FLAT = (*NAMES, "seed", "artifact", "patch", "group_id")
#: What is handed on where all of it is meant for Proctor.
KNOWN = (*FLAT, "trajectory", "group_size", "attempt", "label", "stop")
#: What was handed in already, or comes along, so that a response is not sent besides.
HANDED_IN = ("submission_id", "session_id", "artifact", "patch")
#: The key under which a data set has all of this, where flat keys would be in the way.
NESTED = "proctor"
PREFIXES = {"sub_": "submission_id", "sess_": "session_id", "inst_": "instance_id"}

Told = Union[str, Mapping[str, Any], None]


def item_of(
    told: Told,
    *,
    item_id: Optional[str] = None,
    group: Optional[str] = None,
    response: Optional[str] = None,
    prompt: Optional[str] = None,
) -> Json:
    """An item from what a trainer has of a sample.

    `told` is a mapping with `submission_id`, `session_id`, `instance_id` or `task`, flat or under `proctor`, or a text:
    such an id, or JSON of such a mapping. A `response` goes along only where nothing was handed in yet.
    """
    item = _known(told)
    named = [name for name in NAMES if name in item]
    for name in named[1:]:
        del item[name]
    if named[:1] != ["task"]:
        item.pop("seed", None)
    if not named:
        raise BadRequest(
            "bad-request",
            "the sample names no submission_id, session_id, instance_id or task",
            fault="caller",
            mend="put one into the data set's columns, or under the key 'proctor'",
        )
    if response is not None and not any(name in item for name in HANDED_IN):
        item["response"] = response
        if prompt is not None:
            item["prompt"] = prompt
    if group is not None:
        item.setdefault("group_id", group)
    if item_id is not None:
        item["id"] = item_id
    return item


def request_id(items: Sequence[Mapping[str, Any]]) -> str:
    """A name by which the same items join the same work, from whichever process they are asked for."""
    text = json.dumps(items, sort_keys=True, default=str)
    return f"items-{hashlib.sha256(text.encode()).hexdigest()[:40]}"


def labels(run_id: Optional[str] = None, **more: Any) -> Json:
    """Of a call; the run by PROCTOR_RUN_ID where none is given."""
    return {"run_id": run_id or os.environ.get("PROCTOR_RUN_ID"), **more}


async def asked(item: Json, client: Optional[AsyncClient] = None, **named: Any) -> Reward:
    """The reward of one item, by the process's client where none is given."""
    by = client or shared_async_client()
    return await by.reward(item, **{"request_id": request_id([item]), **labels(named.pop("run_id", None)), **named})


def asked_now(items: Sequence[Json], client: Optional[Client] = None, **named: Any) -> List[Reward]:
    """The rewards of items, by a client that blocks."""
    by = client or shared_client()
    return by.rewards(items, **{"request_id": request_id(items), **labels(named.pop("run_id", None)), **named})


def thinned(reward: Reward, run: Optional[str] = None) -> Optional[float]:
    """The value to learn from; None when there is none, or when its weight says to leave it out this time.

    Where a trainer has no weights, a weight is a probability of being kept: right in the mean, noisier in each step.
    """
    if not reward.usable:
        return None
    run_name = run or os.environ.get("PROCTOR_RUN_ID") or ""
    kept = thinning(run_name, reward.verdict_id or reward.id, reward.train_weight)
    return reward.reward if kept else None


def value_or_raise(reward: Reward, run: Optional[str] = None) -> float:
    """The value to learn from; raises `Withheld` where there is none."""
    value = thinned(reward, run)
    if value is None:
        raise withheld(reward)
    return value


def withheld(reward: Reward) -> Withheld:
    """The exception that says why a sample is left out."""
    why = reward.failure_reason or ("left out by its weight" if reward.usable else reward.status)
    error = Withheld(reward.failure_kind or f"proctor:{reward.status}", why, fault=reward.fault)
    error.reward = reward
    return error


def metrics_of(rewards: Iterable[Reward]) -> Dict[str, float]:
    """Shares to log, always the same keys: of what was scored, masked, pending, and of an outage."""
    made = list(rewards)
    count = max(1, len(made))
    usable = [one for one in made if one.usable]
    return {
        "proctor/usable": len(usable) / count,
        "proctor/quarantined": sum(one.status == "quarantined" for one in made) / count,
        "proctor/unscored": sum(one.status == "unscored" for one in made) / count,
        "proctor/pending": sum(one.status == "pending" for one in made) / count,
        "proctor/weight": sum(one.train_weight for one in usable) / max(1, len(usable)),
    }


def is_outage(reward: Reward) -> bool:
    """Whether there is no result yet, or none by the platform's fault: nobody's score, and no quarantine either."""
    return reward.status == "pending" or (reward.fault == "platform" and not reward.usable)


def text_of(completion: Any) -> str:
    """The text of a completion: itself, or the content of the last message."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Sequence) and completion and isinstance(completion[-1], Mapping):
        return str(completion[-1].get("content") or "")
    return str(completion)


def _known(told: Told) -> Json:
    if isinstance(told, str):
        return _labelled(told)
    if not isinstance(told, Mapping):
        return {}
    made: Json = {name: told[name] for name in FLAT if told.get(name) is not None}
    nested = told.get(NESTED)
    if isinstance(nested, str):
        made.update(_labelled(nested))
    elif isinstance(nested, Mapping):
        made.update({name: nested[name] for name in KNOWN if nested.get(name) is not None})
    return made


def _labelled(label: str) -> Json:
    for prefix, name in PREFIXES.items():
        if label.startswith(prefix):
            return {name: label}
    try:
        parsed = json.loads(label)
    except (ValueError, RecursionError):
        parsed = None
    if isinstance(parsed, dict):
        return {name: parsed[name] for name in KNOWN if parsed.get(name) is not None}
    message = "a label is an id (sub_…, sess_…, inst_…) or JSON of an object"
    raise BadRequest("bad-request", message, fault="caller", mend="mend the data set's labels")
