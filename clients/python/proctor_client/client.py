"""The client that blocks."""

from __future__ import annotations

import os
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Collection, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from . import procedures
from .batches import Merge, Progress, Stream, reward_fields
from .calls import FIRST_PAUSE_SEC, Content, Json, checked_key, checked_url
from .rewards import Batch, Item, Reward, batch_of, collected, split, with_ids
from .session import Session
from .shapes import End, Event, Instance, Observation
from .threads import BlockingTransport

#: Parts of one batch that are asked for at the same time.
PARTS_AT_ONCE = 8


class Client:
    """Calls the service. Without arguments it reads PROCTOR_URL and PROCTOR_KEY. Safe to share between threads.

    Connections are kept for the next call; after a fork the child opens its own. It can be pickled, with its key in it.
    """

    def __init__(self, base_url: Optional[str] = None, key: Optional[str] = None, timeout: float = 120.0) -> None:
        self.base_url = checked_url(base_url or os.environ.get("PROCTOR_URL", ""))
        self.timeout = timeout
        self._transport = BlockingTransport(
            self.base_url, checked_key(key or os.environ.get("PROCTOR_KEY", "")), timeout
        )
        self._run = self._transport.run

    def __repr__(self) -> str:
        return f"Client({self.base_url!r})"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes connections that are not in use. The client may be used again."""
        self._transport.close()

    def rewards(
        self, items: Sequence[Item], *, request_id: Optional[str] = None, run_id: Optional[str] = None,
        step: Optional[int] = None, policy_version: Optional[str] = None, phase: Optional[str] = None,
        timeout: float = 600.0, on_outage: str = "raise", progress: Optional[Progress] = None,
    ) -> List[Reward]:
        """Rewards for any number of items, in their order; waits until all are graded or `timeout` seconds are over.

        An item has an `id` (its place, if none is given), perhaps a `group_id`, and `submission_id`, `session_id`, or
        `instance_id` with `artifact`. More than 1,024 are split, groups kept together. Every try has the same
        `request_id`: give your own to join the same work after a crash of yours. `Outage` when the service is not
        reached in that time, or with `on_outage="mask"` items that are not usable; what is not graded in time is
        `pending`, and not usable. `progress` is told (done, all) from whatever thread made a part.
        """
        asked = with_ids(items)
        batch = batch_of(reward_fields(request_id, run_id, step, policy_version, phase), timeout, on_outage)
        parts = split(asked)
        done = Merge(asked, progress)
        if len(parts) == 1:
            done.add(self._run(collected(batch, parts[0])))
            return done.rewards()
        threads = ThreadPoolExecutor(min(len(parts), PARTS_AT_ONCE), thread_name_prefix="proctor-client")
        try:
            for made in threads.map(lambda part: self._run(collected(batch, part)), parts):
                done.add(made)
        finally:
            # after an error nobody waits for the parts that are still asked for
            threads.shutdown(wait=False, cancel_futures=True)
        return done.rewards()

    def reward(self, item: Item, **named: Any) -> Reward:
        """The reward of one item; see `rewards`."""
        return self.rewards([item], **named)[0]

    def stream_rewards(
        self, items: Sequence[Item], *, request_id: Optional[str] = None, run_id: Optional[str] = None,
        step: Optional[int] = None, policy_version: Optional[str] = None, phase: Optional[str] = None,
        timeout: float = 600.0, on_outage: str = "raise",
    ) -> Iterator[Reward]:
        """The same, each item once, as it is finished. Its `group` is of the siblings that were finished by then."""
        asked = with_ids(items)
        batch = batch_of(reward_fields(request_id, run_id, step, policy_version, phase), timeout, on_outage)
        parts = split(asked)
        if len(parts) == 1:
            return self._streamed(batch, parts[0])
        return _side_by_side([lambda part=part: self._streamed(batch, part) for part in parts])  # type: ignore[misc]

    def _streamed(self, batch: Batch, part: List[Json]) -> Iterator[Reward]:
        stream = Stream(batch, part)
        while stream.open:
            try:
                for line in self._transport.lines(stream.call(), stream.ACCEPT):
                    yield from stream.read(line)
                    if stream.is_late:
                        break
                stream.ended()
            except stream.FAULTS as error:
                yield from stream.failed(error)
            if stream.pause > 0:
                time.sleep(stream.pause)
            yield from stream.given_up()

    def open_session(
        self, task: Optional[str] = None, *, instance_id: Optional[str] = None, seed: Optional[str] = None,
        difficulty: Optional[str] = None, phase: Optional[str] = None, idempotency_key: Optional[str] = None,
        **labels: Any,
    ) -> Session:
        """Opens a workspace on a new instance of a task, or on an instance that is there. `phase` is `train` or `eval`.

        `labels`: `run_id`, `step`, `policy_version`, `group_id`.
        """
        named: Json = {"task": task, "instance_id": instance_id, "seed": seed, "difficulty": difficulty, "phase": phase}
        info = self._run(procedures.open_session({**named, "idempotency_key": idempotency_key, **labels}))
        return Session(self, info.session_id, info)

    def session(self, session_id: str) -> Session:
        """A session that was opened before, to go on with."""
        return Session(self, session_id)

    def act(
        self, session_id: str, environment: str, action: str, parameters: Mapping[str, Any], *,
        message_id: Optional[str] = None, tokens: int = 0,
    ) -> Observation:
        """Makes one step of a session."""
        step = {"environment": environment, "action": action, "parameters": dict(parameters), "tokens": tokens}
        return self._run(procedures.act(session_id, {**step, "message_id": message_id}, self.timeout))

    def observe(self, session_id: str, *, after: int = 0, follow: bool = False) -> Iterator[Event]:
        """All events of a session's log from a number on. With `follow` it waits for more, until the session's end."""
        while True:
            page = self._run(procedures.page(session_id, after))
            for event in page.events:
                after = event.seq
                yield event
            if page.is_last(after, follow):
                return
            if not page.events:
                time.sleep(FIRST_PAUSE_SEC)

    def finish(self, session_id: str) -> End:
        """Ends a session and hands in what it left."""
        return self._run(procedures.finish(session_id))

    def abandon(self, session_id: str) -> End:
        """Ends a session without handing anything in."""
        return self._run(procedures.abandon(session_id))

    def import_session(
        self, instance_id: str, files: Mapping[str, Content], steps: Sequence[Mapping[str, Any]], *,
        executable: Collection[str] = (), idempotency_key: Optional[str] = None, **labels: Any,
    ) -> End:
        """Hands in a session that ran elsewhere. A step is `{"action", "observation", "message_id"?, "at"?}`."""
        fields = {"idempotency_key": idempotency_key, **labels}
        return self._run(procedures.import_session(instance_id, files, steps, executable, fields))

    def new_instance(
        self, task: str, *, seed: Optional[str] = None, difficulty: Optional[str] = None, phase: Optional[str] = None,
    ) -> Instance:
        """Draws an instance of a task. A repeated call would only leave one that nobody uses, so it is repeated."""
        named = {"task": task, "seed": seed, "difficulty": difficulty, "phase": phase}
        return self._run(procedures.new_instance(named))

    def environments(self) -> List[Json]:
        """The ways to act, with a JSON Schema of each action's parameters."""
        return self._run(procedures.environments())

    def submission(self, submission_id: str) -> Json:
        """What was handed in, and how far the work on it is."""
        return self._run(procedures.submission(submission_id))

    def wait_for_reward(self, submission_id: str, *, timeout: float = 600.0) -> Reward:
        """Waits until something is graded. `no-reward` when the time is over: ask again, and the same grade goes on."""
        return self._run(procedures.wait_for_reward(submission_id, timeout))


_SHARED: Dict[int, Client] = {}
_SHARED_LOCK = threading.Lock()


def shared_client() -> Client:
    """The process's client by PROCTOR_URL and PROCTOR_KEY, made at its first use."""
    with _SHARED_LOCK:
        if os.getpid() not in _SHARED:
            _SHARED[os.getpid()] = Client()
        return _SHARED[os.getpid()]


def _side_by_side(sources: Sequence[Callable[[], Iterator[Reward]]]) -> Iterator[Reward]:
    """What several iterators give, as it comes, each in a thread."""
    made: "queue.Queue[Union[Reward, BaseException, None]]" = queue.Queue()

    def drain(source: Callable[[], Iterator[Reward]]) -> None:
        try:
            for one in source():
                made.put(one)
            made.put(None)
        except BaseException as error:  # told in the thread that asked
            made.put(error)

    for source in sources:
        threading.Thread(target=drain, args=(source,), daemon=True, name="proctor-client").start()
    running = len(sources)
    while running > 0:
        one = made.get()
        if isinstance(one, BaseException):
            raise one
        if one is None:
            running -= 1
        else:
            yield one
