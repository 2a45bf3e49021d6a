"""A session, and its actions, for both kinds of client."""

from __future__ import annotations

from types import TracebackType
from typing import (
    TYPE_CHECKING, Any, AsyncIterator, Awaitable, Generic, Iterator, Mapping, Optional, Type, TypeVar,
)

from .calls import Content, Json, content_of
from .errors import ProctorError
from .rewards import Reward
from .shapes import End, Event, Observation, SessionInfo, handed_in

if TYPE_CHECKING:
    from .async_client import AsyncClient
    from .client import Client

Acted = TypeVar("Acted", covariant=True)
#: What the service takes for `shell` when no time is given, in seconds.
COMMAND_SEC = 120.0


class _Acting(Generic[Acted]):
    """The actions of a session, once for both kinds of client."""

    def act(
        self, environment: str, action: str, parameters: Mapping[str, Any], *, message_id: Optional[str] = None,
        tokens: int = 0,
    ) -> Acted:
        """Makes one step, once: asked again after a lost answer, the service knows it by an id and gives the same."""
        raise NotImplementedError

    def shell(
        self, command: str, *, timeout_sec: float = COMMAND_SEC, stdin: Optional[str] = None,
        message_id: Optional[str] = None, tokens: int = 0,
    ) -> Acted:
        """Runs a command in bash; folder, variables and background programs stay from one to the next."""
        parameters: Json = {"command": command, "timeout_sec": timeout_sec}
        if stdin is not None:
            parameters["stdin"] = stdin
        return self.act("shell", "run", parameters, message_id=message_id, tokens=tokens)

    def read_file(self, path: str, *, message_id: Optional[str] = None, tokens: int = 0) -> Acted:
        """Gives a file's content; beyond some kilobytes its beginning and its end (see `is_whole`)."""
        return self.act("files", "read", {"path": path}, message_id=message_id, tokens=tokens)

    def write_file(
        self, path: str, content: Content, *, executable: bool = False, message_id: Optional[str] = None,
        tokens: int = 0,
    ) -> Acted:
        """Makes a file, with the folders above it, or replaces it."""
        parameters: Json = {"path": path, "executable": executable, **content_of(content)}
        return self.act("files", "write", parameters, message_id=message_id, tokens=tokens)

    def patch_file(
        self, path: str, replace: str, by: str, *, message_id: Optional[str] = None, tokens: int = 0
    ) -> Acted:
        """Replaces a text that stands in a file exactly once."""
        parameters = {"path": path, "replace": replace, "with": by}
        return self.act("files", "patch", parameters, message_id=message_id, tokens=tokens)

    def remove_file(self, path: str, *, message_id: Optional[str] = None, tokens: int = 0) -> Acted:
        """Removes a file or a link."""
        return self.act("files", "remove", {"path": path}, message_id=message_id, tokens=tokens)

    def list_files(self, path: str = "/work", *, message_id: Optional[str] = None, tokens: int = 0) -> Acted:
        """Lists a folder; `data["entries"]` has names, kinds and sizes."""
        return self.act("files", "list", {"path": path}, message_id=message_id, tokens=tokens)


class Session(_Acting[Observation]):
    """An open session. As a context it is finished at the end, and abandoned when an exception leaves it."""

    def __init__(self, client: Client, session_id: str, info: Optional[SessionInfo] = None) -> None:
        self._client = client
        self.id = session_id
        self.info = info
        self.end: Optional[End] = None

    def __repr__(self) -> str:
        return f"Session({self.id!r})"

    @property
    def instruction(self) -> str:
        """What the agent is asked to do; empty where it was told to somebody else (`Client.session`)."""
        return (self.info.instruction if self.info is not None else None) or ""

    def act(
        self, environment: str, action: str, parameters: Mapping[str, Any], *, message_id: Optional[str] = None,
        tokens: int = 0,
    ) -> Observation:
        return self._client.act(self.id, environment, action, parameters, message_id=message_id, tokens=tokens)

    def observe(self, *, after: int = 0, follow: bool = False) -> Iterator[Event]:
        """See `Client.observe`."""
        return self._client.observe(self.id, after=after, follow=follow)

    def finish(self) -> End:
        """Ends it and hands in what it left; asked again, it gives the same."""
        self.end = self._client.finish(self.id)
        return self.end

    def abandon(self) -> End:
        """Ends it without handing anything in."""
        self.end = self._client.abandon(self.id)
        return self.end

    def wait_for_reward(self, *, timeout: float = 600.0) -> Reward:
        """The reward of what this session handed in; see `Client.wait_for_reward`."""
        return self._client.wait_for_reward(handed_in(self.end), timeout=timeout)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self.end is not None:
            return
        if kind is None:
            self.finish()
            return
        try:
            self.abandon()
        except ProctorError:
            pass  # the first error is the one to tell; the session ends by its own time


class AsyncSession(_Acting[Awaitable[Observation]]):
    """`Session` to await."""

    def __init__(self, client: AsyncClient, session_id: str, info: Optional[SessionInfo] = None) -> None:
        self._client = client
        self.id = session_id
        self.info = info
        self.end: Optional[End] = None

    def __repr__(self) -> str:
        return f"AsyncSession({self.id!r})"

    @property
    def instruction(self) -> str:
        """What the agent is asked to do."""
        return (self.info.instruction if self.info is not None else None) or ""

    async def act(
        self, environment: str, action: str, parameters: Mapping[str, Any], *, message_id: Optional[str] = None,
        tokens: int = 0,
    ) -> Observation:
        return await self._client.act(self.id, environment, action, parameters, message_id=message_id, tokens=tokens)

    def observe(self, *, after: int = 0, follow: bool = False) -> AsyncIterator[Event]:
        """See `Client.observe`."""
        return self._client.observe(self.id, after=after, follow=follow)

    async def finish(self) -> End:
        """Ends it and hands in what it left."""
        self.end = await self._client.finish(self.id)
        return self.end

    async def abandon(self) -> End:
        """Ends it without handing anything in."""
        self.end = await self._client.abandon(self.id)
        return self.end

    async def wait_for_reward(self, *, timeout: float = 600.0) -> Reward:
        """The reward of what this session handed in."""
        return await self._client.wait_for_reward(handed_in(self.end), timeout=timeout)

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self.end is not None:
            return
        if kind is None:
            await self.finish()
            return
        try:
            await self.abandon()
        except ProctorError:
            pass  # as in Session
