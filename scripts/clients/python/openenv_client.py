"""OpenEnv: its generic client over a WebSocket."""

import asyncio

from kit import HARNESS, RIGHT, URL, WRONG, bare_package, case, raises

bare_package("openenv", "openenv.core")
from openenv.core.generic_client import GenericEnvClient  # noqa: E402


def write(source):
    return {"environment": "files", "action": "write", "parameters": {"path": "double.py", "content": source}}


async def episode(task, *actions, url=f"{URL}/compat/k/{HARNESS}/openenv"):
    async with GenericEnvClient(base_url=url) as env:
        first = await env.reset(task=task, episode_id="e")
        assert "double" in first.observation["instruction"] and not first.done
        found = first
        for action in actions:
            found = await env.step(action)
        state = await env.state()
        return found.reward, found.done, state["step_count"]


DONE = {"finish": True}
case("right work", (1, True, 1), lambda: asyncio.run(episode("test/double", write(RIGHT), DONE)))
case("wrong work", (0, True, 1), lambda: asyncio.run(episode("test/double", write(WRONG), DONE)))
case("a step has no reward yet", (None, False, 1), lambda: asyncio.run(episode("test/double", {"command": "ls"})))
case("quarantined: done, and no reward", (None, True, 1), lambda: asyncio.run(episode("test/doubtful", write(WRONG), DONE)))
case("a step that is none raises", "RuntimeError", lambda: raises(
    lambda: asyncio.run(episode("test/double", {"environment": "none", "action": "x"}))))
case("outage: raises", "ConnectionError", lambda: raises(
    lambda: asyncio.run(episode("test/double", DONE, url="http://127.0.0.1:9/compat/openenv"))))
