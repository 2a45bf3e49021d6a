"""Tinker (tinker-cookbook): the reward of an environment's last step.

    async def step(self, action) -> StepResult:
        …
        return StepResult(reward=await reward({"session_id": self.session.id}), episode_done=True, …)

Read in tinker-cookbook 0.6.1: `rl/rollout_strategy.py` (`MinViableGroup` tries a failed rollout again, then goes on
with the rest from `ceil(0.75 * group_size)` on; `FailFast` lets an exception end the run), `rl/data_processing.py`
(advantages are rewards minus the mean of the group that is left).

Quarantine: raise (`Withheld`) under `MinViableGroup`: exact, and the group is dropped below its floor.
Weight: none; thinning, by the name of the run.
Not expressible: weights. Under `FailFast`, the default for most models, a quarantine ends the run: set the strategy
(`check_strategy`). A quarantined rollout is also made again, in a fresh environment, while the floor is not met. An
outage raises like any failed rollout.
"""

from __future__ import annotations

from typing import Any, Optional

from proctor_client.async_client import AsyncClient
from proctor_client.trainers.samples import asked, item_of, value_or_raise


async def reward(told: Any, *, client: Optional[AsyncClient] = None, run: Optional[str] = None, **named: Any) -> float:
    """The reward of what was handed in; raises `Withheld` for what is not to be learned from."""
    return value_or_raise(await asked(item_of(told), client, run_id=run, **named), run)


def check_strategy(strategy: Any) -> None:
    """Raises ValueError for a rollout strategy under which one quarantined sample ends the run."""
    if not getattr(strategy, "catches_group_errors", False):
        raise ValueError(f"{type(strategy).__name__} lets an exception end the run: use MinViableGroup")
