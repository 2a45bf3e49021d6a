"""verifiers and prime-rl: a reward for a task, and loss weights for a trace.

    class MyTask(vf.Task):
        @vf.reward
        async def proctor(self, trace) -> float:
            return await reward(trace)

`trace.info` (or the task's data) names what is graded, flat or under `proctor`.

Read in verifiers 0.4.0: `v1/task.py` (rewards are awaited inside a boundary; what they raise becomes a `TaskError` of
the rollout), `v1/errors.py`, `v1/graph.py` (`loss_weights` of a node: named streams as long as its `token_ids`,
stamped by the consumer). In prime-rl's `orchestrator/algo` credit is assigned to the rollouts of a group that are
left.

Quarantine: raise (`Withheld`). The rollout ends with an error, and prime-rl leaves such rollouts out before it makes
a group's advantages: exact.
Weight: exact, by `weigh` on the nodes, from an algorithm of yours after credit was assigned: `loss_weights["rl"]`.
Not expressible: a weight through a reward alone. Through a NeMo Gym server the call must end within 60 s. An outage
raises `Outage`, and is retried or left out like any failed rollout.
"""

from __future__ import annotations

from typing import Any, Iterable, Optional

from proctor_client.async_client import AsyncClient
from proctor_client.trainers.samples import asked, item_of, value_or_raise, withheld

#: Below the 60 s after which a client of a NeMo Gym server gives up.
PATIENCE_SEC = 55.0
#: Where a trace keeps what `weigh` needs.
KEY = "proctor_weight"
STREAM = "rl"


async def reward(
    trace: Any, *, client: Optional[AsyncClient] = None, timeout: float = PATIENCE_SEC, thin: bool = False
) -> float:
    """The reward of a rollout; raises `Withheld` for what is not to be learned from. `thin`: a weight is thinning."""
    info = trace.info if isinstance(trace.info, dict) else {}
    told = info if "proctor" in info or any(name in info for name in ("submission_id", "session_id")) else _data(trace)
    made = await asked(item_of(told), client, timeout=timeout)
    if not made.usable:
        raise withheld(made)
    info[KEY] = made.weight
    return value_or_raise(made) if thin else made.reward


def weigh(nodes: Iterable[Any], weight: float, stream: str = STREAM) -> None:
    """Multiplies the loss weights of a trace's nodes; a node without that stream gets the weight for every token."""
    for node in nodes:
        streams = dict(node.loss_weights or {})
        before = streams.get(stream) or [1.0] * len(node.token_ids)
        streams[stream] = [weight * one for one in before]
        node.loss_weights = streams


def _data(trace: Any) -> Any:
    data = getattr(getattr(trace, "task", None), "data", None)
    return data.model_dump() if data is not None and hasattr(data, "model_dump") else data
