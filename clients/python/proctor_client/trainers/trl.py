"""TRL (GRPO and RLOO): a reward function.

    GRPOTrainer(reward_funcs=[proctor_client.trainers.trl.reward_func], …)

The data set's columns name what is graded: `submission_id`, `session_id`, `instance_id` or `task`, or one column
`proctor`.

Read in TRL 1.16.0, `trainer/grpo_trainer.py` and `trainer/rloo_trainer.py`: `_calculate_rewards` calls it with
`prompts`, `completions`, `completion_ids`, the columns, `trainer_state`, `log_extra` and `log_metric`; a sample for
which every reward function gives None is left out of mean, standard deviation and leave-one-out sums, and its
advantage is 0.

Quarantine: None, exact in that version. Older ones sum what is not None, so that None is a zero there: check yours.
With more than one reward function the others must give None for that sample too (`only_where`).
Weight: none in TRL; a weight below 1 is thinning (None with the rest of the probability).
Not expressible: a weight in one step. A sample with None still counts as one in the loss's denominator. An outage
raises.
"""

from __future__ import annotations

import hashlib
from typing import Any, Callable, List, Mapping, Optional, Sequence

from proctor_client.client import Client
from proctor_client.rewards import Reward
from proctor_client.trainers.samples import KNOWN, asked_now, item_of, metrics_of, text_of, thinned

RewardFunction = Callable[..., List[Optional[float]]]


def reward_function(
    client: Optional[Client] = None, run_id: Optional[str] = None, timeout: float = 600.0
) -> RewardFunction:
    """A reward function with a client, a run and a patience (seconds for the batch) of its own."""

    def proctor_reward(
        prompts: Sequence[Any],
        completions: Sequence[Any],
        completion_ids: Any = None,
        *,
        log_metric: Optional[Callable[[str, float], None]] = None,
        log_extra: Optional[Callable[[str, List[Any]], None]] = None,
        trainer_state: Any = None,
        **columns: Any,
    ) -> List[Optional[float]]:
        step = getattr(trainer_state, "global_step", None)
        items = [
            item_of(_row(columns, place), item_id=str(place), group=_group(prompt, step), response=text_of(completion))
            for place, (prompt, completion) in enumerate(zip(prompts, completions))
        ]
        rewards = asked_now(items, client, run_id=run_id, step=step, timeout=timeout)
        _log(rewards, log_metric, log_extra)
        return [thinned(reward, run_id) for reward in rewards]

    return proctor_reward


def only_where(verdict: Sequence[Optional[float]], other: Sequence[Optional[float]]) -> List[Optional[float]]:
    """Another reward function's values, None wherever Proctor's was None."""
    return [None if of is None else value for of, value in zip(verdict, other)]


def reward_func(
    prompts: Sequence[Any], completions: Sequence[Any], completion_ids: Any = None, **named: Any
) -> List[Optional[float]]:
    """The reward function by PROCTOR_URL, PROCTOR_KEY and PROCTOR_RUN_ID."""
    return reward_function()(prompts, completions, completion_ids, **named)


def _row(columns: Mapping[str, Any], place: int) -> Mapping[str, Any]:
    names = [name for name in ("proctor", *KNOWN) if isinstance(columns.get(name), (list, tuple))]
    return {name: columns[name][place] for name in names}


def _group(prompt: Any, step: Any) -> str:
    # the same prompt comes again in a later step, with another group
    return f"{step}-{hashlib.sha256(repr(prompt).encode()).hexdigest()[:16]}"


def _log(rewards: Sequence[Reward], log_metric: Optional[Callable[[str, float], None]], log_extra: Any) -> None:
    if log_metric is not None:
        for name, value in metrics_of(rewards).items():
            log_metric(name, value)
    if log_extra is not None:
        log_extra("proctor_status", [reward.status for reward in rewards])
        log_extra("proctor_verdict", [reward.verdict_id for reward in rewards])
