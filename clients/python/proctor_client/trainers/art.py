"""ART: a rollout that raises, or trajectories that are left out of their group.

    async def rollout(model, scenario) -> art.Trajectory:
        …
        return await scored(trajectory, {"session_id": session.id})

    groups = await art.gather_trajectory_groups(…, max_exceptions=…)

Read in openpipe-art 0.5.18, `trajectories.py`: a `TrajectoryGroup` takes trajectories and exceptions, and makes
advantages of the trajectories only.

Quarantine: raise (`scored`), or leave out (`kept`): exact. `max_exceptions` must allow for it, or one ends the step.
Weight: none; thinning, by the name of the run.
Not expressible: weights. A group with one trajectory left has an advantage of 0. An outage raises like any failed
rollout.
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from proctor_client.async_client import AsyncClient
from proctor_client.rewards import Reward
from proctor_client.trainers.samples import asked, item_of, thinned, value_or_raise


async def scored(
    trajectory: Any, told: Any, *, client: Optional[AsyncClient] = None, run: Optional[str] = None, **named: Any
) -> Any:
    """The trajectory with its reward; raises `Withheld` for what is not to be learned from."""
    reward = await asked(item_of(told), client, run_id=run, **named)
    trajectory.reward = value_or_raise(reward, run)
    _noted(trajectory, reward)
    return trajectory


def kept(trajectories: Sequence[Any], rewards: Sequence[Reward], run: Optional[str] = None) -> List[Any]:
    """The trajectories to make a group of, with their rewards; fewer than two are none: nothing to compare."""
    made: List[Any] = []
    for trajectory, reward in zip(trajectories, rewards):
        value = thinned(reward, run)
        if value is not None:
            trajectory.reward = value
            _noted(trajectory, reward)
            made.append(trajectory)
    return made if len(made) >= 2 else []


def _noted(trajectory: Any, reward: Reward) -> None:
    trajectory.metrics["proctor_score"] = reward.score
    trajectory.metadata["proctor_verdict"] = reward.verdict_id
