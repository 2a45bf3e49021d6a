"""NeMo RL and NeMo Gym: the answer of a resources server's `/verify`.

    return BaseVerifyResponse(**await verify(body.model_dump()))

`verifier_metadata` of the request (or the request itself) names what is graded.

Read in NeMo RL's `environments/nemo_gym.py` (`instance_config.mask_sample`) and `algorithms/utils.py`
(`calculate_baseline_and_std_per_prompt`: leave-one-out mean and standard deviation over all samples of a prompt).

Quarantine: `mask_sample: true`, at the top and in `instance_config`. That is a loss mask only: the masked sample
still moves its siblings' baseline, so it also gets the mean of its valid siblings as its reward. That is exact for a
mean alone; with `use_leave_one_out_baseline` and `normalize_rewards` together it can be badly wrong, because a
sibling whose others all failed is divided by a standard deviation that the neutral reward has made small instead of
zero (`python -m proctor_client.groups`). Turn one of the two off.
Weight: none. Thinning makes a masked sample of what is left out.
Not expressible: dropping a sample, weights. An outage raises, which the caller retries: its connection has no time
limit.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from proctor_client.async_client import AsyncClient
from proctor_client.rewards import Reward
from proctor_client.trainers.samples import asked, is_outage, item_of, thinned, withheld


async def verify(
    body: Mapping[str, Any], *, client: Optional[AsyncClient] = None, run: Optional[str] = None, **named: Any
) -> Dict[str, Any]:
    """The verify response for a verify request."""
    told = body.get("verifier_metadata") or body
    return response_of(body, await asked(item_of(told), client, run_id=run, **named), run)


def response_of(body: Mapping[str, Any], reward: Reward, run: Optional[str] = None) -> Dict[str, Any]:
    """The request's own fields, and the reward, the mask and what failed."""
    if is_outage(reward):
        raise withheld(reward)
    value = thinned(reward, run)
    is_masked = value is None
    config = body.get("instance_config")
    return {
        **body,
        "reward": reward.neutral_reward if value is None else value,
        "mask_sample": is_masked,
        "instance_config": {**(config if isinstance(config, Mapping) else {}), "mask_sample": is_masked},
        "failure_kind": reward.failure_kind or None,
        "failure_reason": reward.failure_reason or None,
        "proctor_verdict_id": reward.verdict_id,
    }
