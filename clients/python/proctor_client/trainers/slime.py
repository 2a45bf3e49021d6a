"""slime and miles: a custom reward and a hook after it, with exact weights.

    --custom-rm-path proctor_client.trainers.slime.custom_rm
    --custom-reward-post-process-path proctor_client.trainers.slime.reward_post_process

A sample's `metadata` (or its `label`) names what is graded.

Read in slime's `rollout/rm_hub/__init__.py` (awaits `custom_rm(args, sample)`, or with a list of a group) and
`ray/rollout.py` (`_post_process_rewards` calls the hook with all samples and takes (raw, processed) of equal length;
it regroups by position, so a sample that is removed shifts all that follow into other groups).

Quarantine: the hook makes the group's statistics of its valid samples only and gives 0 to the others; nothing is
removed. That is exact for GRPO, GSPO, CISPO (mean and standard deviation), for a mean alone and for REINFORCE++ with
a baseline.
Weight: exact: the advantage is multiplied by it.
Not expressible: a sample with advantage 0 still counts in the loss's denominator, and in a KL or entropy term if one
is on. A group with fewer than two valid samples gets zeros: one has nothing to be compared with. An outage raises in
`custom_rm`.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from proctor_client.async_client import AsyncClient, shared_async_client
from proctor_client.groups import spread_of
from proctor_client.trainers.samples import NAMES, NESTED, is_outage, item_of, labels, request_id, withheld

#: Where a sample carries what the hook needs.
KEY = "proctor_reward"
EPSILON = 1e-6


async def custom_rm(
    args: Any, sample: Any, *, client: Optional[AsyncClient] = None, timeout: float = 600.0, **_: Any
) -> Any:
    """The reward of a sample, or a list of them for a list; always finite, and what the hook needs in the metadata."""
    samples = sample if isinstance(sample, (list, tuple)) else [sample]
    items = [_item(one, str(place)) for place, one in enumerate(samples)]
    by = client or shared_async_client()
    rewards = await by.rewards(items, request_id=request_id(items), timeout=timeout, **labels())
    for one, reward in zip(samples, rewards):
        if is_outage(reward):
            raise withheld(reward)
        one.metadata = {**(one.metadata or {}), KEY: {"usable": reward.usable, "weight": reward.weight}}
    values = [reward.reward for reward in rewards]
    return values if isinstance(sample, (list, tuple)) else values[0]


def reward_post_process(args: Any, samples: Sequence[Any], **_: Any) -> Tuple[List[float], List[float]]:
    """(raw, processed), as many of both as there are samples, in their order."""
    flat = [one for sample in samples for one in (sample if isinstance(sample, (list, tuple)) else [sample])]
    raw = [_raw(args, sample) for sample in flat]
    families: Dict[Any, List[int]] = {}
    for place, sample in enumerate(flat):
        families.setdefault(_family(args, sample, place), []).append(place)
    processed = [0.0] * len(flat)
    for places in families.values():
        valid = [place for place in places if _told(flat[place])["usable"]]
        if len(valid) < 2 and _is_grouped(args):
            continue
        advantages = _advantages(args, [raw[place] for place in valid])
        for place, advantage in zip(valid, advantages):
            processed[place] = advantage * _told(flat[place])["weight"]
    return raw, processed


def _advantages(args: Any, rewards: List[float]) -> List[float]:
    if not _is_grouped(args):
        return rewards
    mean, spread = spread_of(rewards)
    is_scaled = getattr(args, "advantage_estimator", "grpo") != "reinforce_plus_plus_baseline"
    scale = spread + EPSILON if is_scaled and getattr(args, "grpo_std_normalization", True) else 1.0
    return [(reward - mean) / scale for reward in rewards]


def _is_grouped(args: Any) -> bool:
    estimators = ("grpo", "gspo", "cispo", "reinforce_plus_plus_baseline")
    is_one = getattr(args, "advantage_estimator", "grpo") in estimators
    return is_one and bool(getattr(args, "rewards_normalization", True))


def _family(args: Any, sample: Any, place: int) -> Any:
    group = getattr(sample, "group_index", None)
    return group if group is not None else ("by place", place // max(1, getattr(args, "n_samples_per_prompt", 1)))


def _told(sample: Any) -> Dict[str, Any]:
    # a sample that went past custom_rm has no verdict: nothing to learn from
    return dict((sample.metadata or {}).get(KEY, {"usable": False, "weight": 0.0}))


def _raw(args: Any, sample: Any) -> float:
    key = getattr(args, "reward_key", None)
    return float(sample.reward[key] if key else sample.reward)


def _item(sample: Any, item_id: str) -> Dict[str, Any]:
    group = getattr(sample, "group_index", None)
    metadata = sample.metadata or {}
    told = metadata if any(metadata.get(name) is not None for name in (NESTED, *NAMES)) else sample.label
    return item_of(told, item_id=item_id, group=None if group is None else str(group), response=sample.response)
