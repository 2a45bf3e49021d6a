"""verifiers: the hooks of its NeMo Gym task, from a row of a data set to a reward."""

import asyncio
from types import SimpleNamespace

import httpx
from kit import HARNESS, PROXY, RIGHT, SLOW, TRAINER, WRONG, answer, asked, case, new_instance, raises
from verifiers.v1.graph import MessageNode
from verifiers.v1.tasksets.nemo_gym.taskset import NeMoGymData, NeMoGymTask, NeMoGymTaskConfig
from verifiers.v1.tasksets.nemo_gym.toolset import NeMoGymState
from verifiers.v1.types import AssistantMessage, UserMessage

assert HARNESS


def rollout(label, text, fault="pass", name="n-plain", **headers):
    """Setup and reward as the framework calls them; the trace has what these two read of it."""
    config = NeMoGymTaskConfig(
        resources_url=f"{PROXY}/{fault}/{name}/compat/verifiers",
        headers={"authorization": f"Bearer {TRAINER}", **headers},
        request_timeout=20.0,
    )
    row = {"responses_create_params": {"input": "Write double."}, "label": label}
    task = NeMoGymTask(NeMoGymData(name="row", prompt="Write double.", row=row), config)
    nodes = [
        MessageNode(message=UserMessage(content="Write double.")),
        MessageNode(parent=0, message=AssistantMessage(content=text), sampled=True),
    ]
    metrics = {}
    trace = SimpleNamespace(
        id="t", state=NeMoGymState(), info={}, branches=[SimpleNamespace(nodes=nodes)], record_metric=metrics.__setitem__
    )

    async def both():
        await task.setup(trace, None)
        return await task.nemo_gym(trace)

    return asyncio.run(both()), metrics


def reward(*given, **named):
    return rollout(*given, **named)[0]


label = new_instance()
case("right work", 1.0, lambda: reward(label, answer(RIGHT)))
case("wrong work", 0.0, lambda: reward(label, answer(WRONG)))
case("metrics come too", (1.0, 0.0), lambda: (
    (found := rollout(label, answer(RIGHT))[1])["score"], found["mask_sample"]))
case("a task and seed are drawn at setup", 1.0, lambda: reward({"task": "test/double", "seed": 5}, answer(RIGHT)))
case("slow work is waited for", 1.0, lambda: reward(new_instance(), answer(SLOW)))
case("too slow for its deadline: raises, and is no zero", "HTTPStatusError", lambda: raises(
    lambda: reward(new_instance(), answer(SLOW), **{"x-proctor-deadline-ms": "100"})))
for status in (429, 503, 504):
    case(f"{status}: raises, and is no zero", "HTTPStatusError", lambda: raises(
        lambda: reward(label, answer(RIGHT), f"s{status}", f"n-{status}")))
def outage():
    """How the connection is seen to end is a matter of time; that it raises is not."""
    try:
        return reward(label, answer(RIGHT), "drop", "n-drop")
    except httpx.TransportError:
        return "TransportError"


case("outage: raises, and is no zero", "TransportError", outage)
case("its client does not ask twice", 1, lambda: asked("n-drop"))
case("quarantined: raises, and is no zero", "HTTPStatusError", lambda: raises(
    lambda: reward(new_instance("test/doubtful"), answer(WRONG))))
