"""AReaL: a workflow that rejects, or a reward function.

    workflow = Rejecting(RLVRWorkflow(reward_fn=proctor_client.trainers.areal.reward_fn, …))

Read in AReaL 1.0.4: `api/reward_api.py` (`AsyncRewardWrapper` runs the function in a process pool, 15 s, three more
tries after an exception, and **gives 0 when the time is over**), `infra/workflow_executor.py` (an episode of None is
rejected), `infra/remote_inf_engine.py` (a group goes on with those that are not None).

Quarantine: None from `arun_episode`: rejected, exact. `Rejecting` turns `Withheld` and `Outage` into that; without it
the exception ends the run. A reward function alone cannot say it.
Weight: none; thinning.
Not expressible: weights. Within the wrapper an answer has 15 s; `reward_fn` gives up before, so that the wrapper's 0
is never reached, and asks under the same name again, so that the same grade goes on. Tasks that take more than the
four tries together are rejected: for those, ask in the workflow itself (`value`).
"""

from __future__ import annotations

from typing import Any, Mapping, Optional

from proctor_client.async_client import AsyncClient
from proctor_client.client import Client
from proctor_client.errors import Outage, Withheld
from proctor_client.trainers.samples import asked, asked_now, item_of, value_or_raise

#: Less than the 15 s of AsyncRewardWrapper, with what an answer takes to come back.
PATIENCE_SEC = 9.0


def reward_fn(
    prompt: str,
    completions: str,
    prompt_ids: Any = None,
    completion_ids: Any = None,
    *,
    client: Optional[Client] = None,
    **data: Any,
) -> float:
    """The reward of a completion; raises for what is not to be learned from. The data's fields name what is graded."""
    item = item_of(data, item_id="0", response=completions, prompt=prompt)
    return value_or_raise(asked_now([item], client, timeout=PATIENCE_SEC)[0])


async def value(told: Any, *, client: Optional[AsyncClient] = None, **named: Any) -> Optional[float]:
    """For a workflow of your own: the reward, or None, which it returns as its episode."""
    try:
        return value_or_raise(await asked(item_of(told), client, **named), named.get("run_id"))
    except (Outage, Withheld):
        return None


class Rejecting:
    """A workflow whose episodes are None where the reward is withheld or the service is out."""

    def __init__(self, workflow: Any) -> None:
        self.workflow = workflow

    async def arun_episode(self, engine: Any, data: Mapping[str, Any]) -> Any:
        """The episode of the workflow inside, or None."""
        try:
            return await self.workflow.arun_episode(engine, data)
        except (Outage, Withheld):
            return None
