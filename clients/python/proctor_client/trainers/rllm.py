"""rLLM: the end of a workflow's episode.

    async def run(self, task, uid, **kwargs):
        …
        return await scored(self.postprocess_episode(self.collect_trajectories(), TerminationReason.ENV_DONE), told)

    rllm.compact_filtering.enable=true  rllm.compact_filtering.mask_error=true

Read in rLLM's `workflows/workflow.py`: an episode has a `termination_reason`; compact filtering masks by it.

Quarantine: `TerminationReason.ERROR`, which compact filtering leaves out when it is on with `mask_error`. Without
that setting it does nothing: the episode counts with reward 0. Check it at start (`check_settings`).
Weight: none, but in an advantage estimator of yours; thinning, by the name of the run.
Not expressible: weights; telling a quarantine from an error of the workflow. A lone survivor keeps its raw reward as
its advantage. An outage raises, and the workflow ends with ERROR by itself.
"""

from __future__ import annotations

import importlib
from typing import Any, Mapping, Optional

from proctor_client.async_client import AsyncClient
from proctor_client.rewards import Reward
from proctor_client.trainers.samples import asked, item_of, thinned

ERROR = "error"


async def scored(
    episode: Any, told: Any, *, client: Optional[AsyncClient] = None, run: Optional[str] = None, **named: Any
) -> Any:
    """The episode with its reward on every trajectory, or ended with ERROR."""
    return marked(episode, await asked(item_of(told), client, run_id=run, **named), run)


def marked(episode: Any, reward: Reward, run: Optional[str] = None) -> Any:
    """The same for a reward that is there."""
    value = thinned(reward, run)
    for trajectory in episode.trajectories:
        trajectory.reward = 0.0 if value is None else value
    episode.is_correct = value is not None and reward.outcome == "passed"
    if value is None:
        episode.termination_reason = _error()
        why = reward.failure_reason or reward.status
        episode.info = {
            **(getattr(episode, "info", None) or {}),
            "error": {"error_type": reward.failure_kind, "error_message": why},
        }
    return episode


def check_settings(config: Mapping[str, Any]) -> None:
    """Raises ValueError where the settings (`rllm.compact_filtering`) would learn from what is quarantined."""
    if not (config.get("enable") and config.get("mask_error")):
        raise ValueError("set rllm.compact_filtering.enable and .mask_error: else quarantined episodes count as zeros")


def _error() -> Any:
    try:
        return importlib.import_module("rllm.workflows.workflow").TerminationReason.ERROR
    except ImportError:
        return ERROR
