"""SkyRL: what to do with a `GeneratorOutput` before the trainer sees it.

    output = await super().generate(input_batch)            # in a GeneratorInterface of yours
    return hold_out(output, rewards, groups)

Read in SkyRL 0.3.0: `train/generators/base.py` (`rewards` is a number or a list of numbers per trajectory,
`loss_masks` as long as the response), `backends/skyrl_train/utils/ppo_utils.py` (GRPO and RLOO group by `uid` and
count every trajectory that is there, masked or not; a lone one keeps its raw reward in GRPO and gets 0 in RLOO).

Quarantine: a trajectory cannot be taken out, since the trainer counts on `n_samples_per_prompt` of each. `hold_out`
with `rule="group"` (the default) masks the whole group and gives all of it one reward, so that every advantage is 0:
exact, at the price of the siblings. With `rule="neutral"` the sample gets the mean of its valid siblings and a loss
mask of zeros: exact for a mean alone, a factor near 1 for GRPO with a standard deviation and for RLOO (`python -m
proctor_client.groups`).
Weight: none; thinning, which takes the group along under `rule="group"`. An advantage estimator of your own could use
`Reward.weight`.
Not expressible: taking one trajectory out of its group. An outage raises where the rewards are asked for.
"""

from __future__ import annotations

import math
from typing import Any, Dict, Hashable, List, Mapping, Optional, Sequence

from proctor_client.client import Client
from proctor_client.rewards import Reward
from proctor_client.trainers.samples import asked_now, item_of, thinned


def rewards_of(
    told: Sequence[Any], groups: Sequence[Hashable], client: Optional[Client] = None, **named: Any
) -> List[Reward]:
    """The rewards of trajectories, each told by its ids (see `samples.item_of`), with the groups of the same length."""
    items = [item_of(one, item_id=str(place), group=str(group)) for place, (one, group) in enumerate(zip(told, groups))]
    return asked_now(items, client, **named)


def hold_out(
    output: Mapping[str, Any],
    rewards: Sequence[Reward],
    groups: Sequence[Hashable],
    *,
    rule: str = "group",
    run: Optional[str] = None,
) -> Dict[str, Any]:
    """A copy of the output with these rewards, and with nothing to learn from what is not usable. Its length stays."""
    if rule not in ("group", "neutral"):
        raise ValueError("rule is 'group' or 'neutral'")
    if not len(output["rewards"]) == len(rewards) == len(groups):
        raise ValueError("there is not one reward and one group for each trajectory")
    values = [thinned(reward, run) for reward in rewards]
    scalars: List[float] = []
    masks: List[List[int]] = []
    for value, group, mask in zip(values, groups, output["loss_masks"]):
        valid = [one for one, other in zip(values, groups) if other == group and one is not None]
        is_whole = len(valid) == sum(other == group for other in groups)
        neutral = math.fsum(valid) / len(valid) if valid else 0.0
        is_out = not is_whole and (rule == "group" or len(valid) < 2)
        scalars.append(neutral if value is None or is_out else value)
        masks.append([0] * len(mask) if value is None or is_out else list(mask))
    made = [_like(old, value) for old, value in zip(output["rewards"], scalars)]
    return {**output, "rewards": made, "loss_masks": masks}


def _like(old: Any, value: float) -> Any:
    """The value in the form that the trainer had: a number, or on the last token."""
    return [*([0.0] * (len(old) - 1)), value] if isinstance(old, (list, tuple)) and old else value
