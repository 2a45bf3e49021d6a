"""verl: a custom reward function, and a helper for agent loops.

    reward.custom_reward_function.path=pkg://proctor_client.trainers.verl
    reward.custom_reward_function.name=compute_score

Read in verl 0.9.1: `experimental/reward_loop/reward_manager/naive.py` (awaits a coroutine function by keywords and
takes a number or a dict with `score`), `experimental/agent_loop/agent_loop.py` (a `reward_score` that is set is not
computed again), `trainer/ppo/v1/agent_loop_tq.py` (an empty list is not put into the queue; an exception ends the
prompt's group).

Quarantine: an agent loop that returns `[]` drops one sample, and its siblings' baseline is made without it: use
`kept`. From `compute_score` a sample cannot be dropped. It gets the mean of its valid siblings, which is exact for
baselines that are a mean, only rescales where advantages are divided by a standard deviation, and is wrong for
leave-one-out with normalisation (`python -m proctor_client.groups`); where no sibling is known yet, or with
`on_quarantine="raise"`, it raises, and v1 drops the prompt's group. `proctor_mask` of the dict says which samples
those are.
Weight: none in verl; `kept` thins, `compute_score` tells `proctor_weight` for an estimator of your own.
Not expressible: a loss mask that leaves the baseline alone; a lone survivor gets its raw reward as advantage. An
outage raises.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

from proctor_client.async_client import AsyncClient
from proctor_client.rewards import Reward
from proctor_client.trainers.samples import NAMES, NESTED, asked, is_outage, item_of, thinned, withheld


async def compute_score(
    data_source: Any = None,
    solution_str: str = "",
    ground_truth: Any = None,
    extra_info: Optional[Mapping[str, Any]] = None,
    *,
    on_quarantine: str = "neutral",
    timeout: float = 600.0,
    client: Optional[AsyncClient] = None,
    **_: Any,
) -> Dict[str, Any]:
    """The score of one sample. `extra_info` or `ground_truth` names what is graded; `extra_info["uid"]` the group."""
    told = extra_info if _names(extra_info) else ground_truth
    group = (extra_info or {}).get("uid")
    item = item_of(told, response=solution_str, group=None if group is None else str(group))
    return score_of(await asked(item, client, timeout=timeout), on_quarantine)


def score_of(reward: Reward, on_quarantine: str = "neutral") -> Dict[str, Any]:
    """The dict for the reward manager, with the same keys for every sample."""
    if is_outage(reward):
        raise withheld(reward)
    if not reward.usable and (on_quarantine == "raise" or reward.n_valid == 0):
        raise withheld(reward)
    return {
        "score": reward.reward if reward.usable else reward.neutral_reward,
        "acc": reward.score,
        "proctor_mask": float(not reward.usable),
        "proctor_weight": reward.weight,
        "proctor_verdict": reward.verdict_id,
    }


def kept(outputs: Sequence[Any], reward: Reward, run: Optional[str] = None) -> List[Any]:
    """What an agent loop returns: its outputs with the score on the last, or `[]`, which drops the sample."""
    value = thinned(reward, run)
    if value is None or not outputs:
        return []
    outputs[-1].reward_score = value
    outputs[-1].extra_fields["reward_extra_info"] = {"acc": reward.score, "proctor_verdict": reward.verdict_id}
    return list(outputs)


async def ended(outputs: Sequence[Any], told: Any, *, client: Optional[AsyncClient] = None, **named: Any) -> List[Any]:
    """At the end of `AgentLoopBase.run`: `return await ended([output], {"session_id": …})`."""
    return kept(outputs, await asked(item_of(told), client, **named), named.get("run_id"))


def _names(told: Optional[Mapping[str, Any]]) -> bool:
    return isinstance(told, Mapping) and any(told.get(name) is not None for name in (NESTED, *NAMES))
