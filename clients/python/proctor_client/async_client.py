"""The client to await."""

from __future__ import annotations

import asyncio
import os
from typing import Any, AsyncIterator, Collection, Dict, List, Mapping, Optional, Sequence, Union

from . import procedures
from .batches import Merge, Progress, Stream, reward_fields
from .calls import FIRST_PAUSE_SEC, Content, Json, checked_key, checked_url
from .rewards import Batch, Item, Reward, batch_of, collected, split, with_ids
from .session import AsyncSession
from .shapes import End, Event, Instance, Observation
from .streams import AsyncTransport


class AsyncClient:
    """`Client` to await: its calls are made in the running event loop, at most `max_concurrency` at once.

    A cancelled call closes its connection; what the service began goes on, and abandoning its session ends it.
    """

    def __init__(
        self, base_url: Optional[str] = None, key: Optional[str] = None, timeout: float = 120.0,
        max_concurrency: int = 1024,
    ) -> None:
        self.base_url = checked_url(base_url or os.environ.get("PROCTOR_URL", ""))
        self.timeout = timeout
        checked = checked_key(key or os.environ.get("PROCTOR_KEY", ""))
        self._transport = AsyncTransport(self.base_url, checked, timeout, max_concurrency)
        self._run = self._transport.run

    def __repr__(self) -> str:
        return f"AsyncClient({self.base_url!r})"

    async def rewards(
        self, items: Sequence[Item], *, request_id: Optional[str] = None, run_id: Optional[str] = None,
        step: Optional[int] = None, policy_version: Optional[str] = None, phase: Optional[str] = None,
        timeout: float = 600.0, on_outage: str = "raise", progress: Optional[Progress] = None,
    ) -> List[Reward]:
        """See `Client.rewards`."""
        asked = with_ids(items)
        batch = batch_of(reward_fields(request_id, run_id, step, policy_version, phase), timeout, on_outage)
        done = Merge(asked, progress)

        async def part_of(part: List[Json]) -> None:
            done.add(await self._run(collected(batch, part)))

        await _all([part_of(part) for part in split(asked)])
        return done.rewards()

    async def reward(self, item: Item, **named: Any) -> Reward:
        """The reward of one item; see `Client.rewards`."""
        return (await self.rewards([item], **named))[0]

    async def stream_rewards(
        self, items: Sequence[Item], *, request_id: Optional[str] = None, run_id: Optional[str] = None,
        step: Optional[int] = None, policy_version: Optional[str] = None, phase: Optional[str] = None,
        timeout: float = 600.0, on_outage: str = "raise",
    ) -> AsyncIterator[Reward]:
        """See `Client.stream_rewards`."""
        asked = with_ids(items)
        batch = batch_of(reward_fields(request_id, run_id, step, policy_version, phase), timeout, on_outage)
        made: "asyncio.Queue[Union[Reward, BaseException, None]]" = asyncio.Queue()

        async def drain(part: List[Json]) -> None:
            try:
                async for one in self._streamed(batch, part):
                    made.put_nowait(one)
                made.put_nowait(None)
            except Exception as error:  # told where it is waited for
                made.put_nowait(error)

        tasks = [asyncio.ensure_future(drain(part)) for part in split(asked)]
        try:
            running = len(tasks)
            while running > 0:
                one = await made.get()
                if isinstance(one, BaseException):
                    raise one
                if one is None:
                    running -= 1
                else:
                    yield one
        finally:
            await _ended(tasks)

    async def _streamed(self, batch: Batch, part: List[Json]) -> AsyncIterator[Reward]:
        stream = Stream(batch, part)
        while stream.open:
            try:
                async for line in self._transport.lines(stream.call(), stream.ACCEPT):
                    for reward in stream.read(line):
                        yield reward
                    if stream.is_late:
                        break
                stream.ended()
            except stream.FAULTS as error:
                for reward in stream.failed(error):
                    yield reward
            if stream.pause > 0:
                await asyncio.sleep(stream.pause)
            for reward in stream.given_up():
                yield reward

    async def open_session(
        self, task: Optional[str] = None, *, instance_id: Optional[str] = None, seed: Optional[str] = None,
        difficulty: Optional[str] = None, phase: Optional[str] = None, idempotency_key: Optional[str] = None,
        **labels: Any,
    ) -> AsyncSession:
        """See `Client.open_session`; use it as `async with await client.open_session(…) as session`."""
        named: Json = {"task": task, "instance_id": instance_id, "seed": seed, "difficulty": difficulty, "phase": phase}
        info = await self._run(procedures.open_session({**named, "idempotency_key": idempotency_key, **labels}))
        return AsyncSession(self, info.session_id, info)

    def session(self, session_id: str) -> AsyncSession:
        """A session that was opened before."""
        return AsyncSession(self, session_id)

    async def act(
        self, session_id: str, environment: str, action: str, parameters: Mapping[str, Any], *,
        message_id: Optional[str] = None, tokens: int = 0,
    ) -> Observation:
        """See `Client.act`."""
        step = {"environment": environment, "action": action, "parameters": dict(parameters), "tokens": tokens}
        return await self._run(procedures.act(session_id, {**step, "message_id": message_id}, self.timeout))

    async def observe(self, session_id: str, *, after: int = 0, follow: bool = False) -> AsyncIterator[Event]:
        """See `Client.observe`."""
        while True:
            page = await self._run(procedures.page(session_id, after))
            for event in page.events:
                after = event.seq
                yield event
            if page.is_last(after, follow):
                return
            if not page.events:
                await asyncio.sleep(FIRST_PAUSE_SEC)

    async def finish(self, session_id: str) -> End:
        """See `Client.finish`."""
        return await self._run(procedures.finish(session_id))

    async def abandon(self, session_id: str) -> End:
        """See `Client.abandon`."""
        return await self._run(procedures.abandon(session_id))

    async def import_session(
        self, instance_id: str, files: Mapping[str, Content], steps: Sequence[Mapping[str, Any]], *,
        executable: Collection[str] = (), idempotency_key: Optional[str] = None, **labels: Any,
    ) -> End:
        """See `Client.import_session`."""
        fields = {"idempotency_key": idempotency_key, **labels}
        return await self._run(procedures.import_session(instance_id, files, steps, executable, fields))

    async def new_instance(
        self, task: str, *, seed: Optional[str] = None, difficulty: Optional[str] = None, phase: Optional[str] = None,
    ) -> Instance:
        """See `Client.new_instance`."""
        named = {"task": task, "seed": seed, "difficulty": difficulty, "phase": phase}
        return await self._run(procedures.new_instance(named))

    async def environments(self) -> List[Json]:
        """See `Client.environments`."""
        return await self._run(procedures.environments())

    async def submission(self, submission_id: str) -> Json:
        """See `Client.submission`."""
        return await self._run(procedures.submission(submission_id))

    async def wait_for_reward(self, submission_id: str, *, timeout: float = 600.0) -> Reward:
        """See `Client.wait_for_reward`."""
        return await self._run(procedures.wait_for_reward(submission_id, timeout))

    async def aclose(self) -> None:
        """Closes connections that are not in use."""
        await self._transport.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def _all(works: Sequence[Any]) -> None:
    """Waits for all; when one fails, ends the others and tells its error."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.gather(*tasks)
    finally:
        await _ended(tasks)


async def _ended(tasks: Sequence["asyncio.Future[Any]"]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


_SHARED: Dict[int, AsyncClient] = {}


def shared_async_client() -> AsyncClient:
    """The process's client by PROCTOR_URL and PROCTOR_KEY, made at its first use."""
    if os.getpid() not in _SHARED:
        _SHARED[os.getpid()] = AsyncClient()
    return _SHARED[os.getpid()]
