"""OpenRLHF: the file form of a reward function.

    --reward.remote_url …/proctor_client/trainers/openrlhf.py

A label is an id (`sub_…`, `sess_…`, `inst_…`) or JSON with `submission_id`, `session_id`, `instance_id` or `task`.

Read in OpenRLHF 0.11.2: `utils/agent.py` (`SingleTurnAgentExecutor` runs `reward_func(queries, prompts, labels)` in a
thread, one sample a call, and reads `rewards`, `scores`, `extra_logs`), `trainer/ppo_utils/samples_generator.py`
(makes a tensor of each value).

Quarantine: a sample cannot be dropped. Its reward is the mean of its valid siblings as the service knows them when it
is asked; where it knows none, 0.5 of the range (`UNKNOWN_NEUTRAL`), which is a guess. `scores` is NaN for it never
(the group filter cannot take it); `extra_logs["proctor_mask"]` is 1, so that you see how many there are.
Weight: none. `extra_logs["proctor_weight"]` tells it.
Not expressible: dropping one, weights, and "no result": what the function raises is logged and swallowed, and the
sample goes on without a reward, which ends the run or, with a reward model, is silently replaced by its value. So an
outage is waited for, `PATIENCE_SEC` long, and then raises.
"""

from __future__ import annotations

import importlib
import os
from typing import Any, Dict, List, Sequence

from proctor_client.rewards import Reward
from proctor_client.trainers.samples import asked_now, is_outage, item_of, withheld

#: One call has no limit of the trainer's in the file form; a service that restarts is back long before this.
PATIENCE_SEC = float(os.environ.get("PROCTOR_PATIENCE_SEC", "1800"))
#: For a quarantined sample none of whose siblings is graded yet, when scores are 0 to 1.
UNKNOWN_NEUTRAL = 0.5


def reward_func(
    queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], client: Any = None
) -> Dict[str, Any]:
    """Rewards for queries, each its prompt and response in one text."""
    items = [
        item_of(label, item_id=str(place), response=query[len(prompt) :] if query.startswith(prompt) else query)
        for place, (query, prompt, label) in enumerate(zip(queries, prompts, labels))
    ]
    return answer_of(asked_now(items, client, timeout=PATIENCE_SEC) if items else [])


def answer_of(rewards: Sequence[Reward]) -> Dict[str, Any]:
    """What OpenRLHF reads, every list as long as the rewards and every number finite."""
    values = [_value(reward) for reward in rewards]
    logs = {
        "proctor_mask": [float(not reward.usable) for reward in rewards],
        "proctor_weight": [reward.weight for reward in rewards],
        "proctor_score": [reward.score for reward in rewards],
    }
    return {
        "rewards": _tensor(values),
        "scores": _tensor(values),
        "extra_logs": {name: _tensor(column) for name, column in logs.items()},
    }


def _value(reward: Reward) -> float:
    if reward.usable:
        return reward.reward
    if is_outage(reward):
        raise withheld(reward)
    return reward.neutral_reward if reward.n_valid > 0 else UNKNOWN_NEUTRAL


def _tensor(values: List[float]) -> Any:
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return values
    return torch.tensor(values)
