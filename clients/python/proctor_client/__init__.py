"""Proctor for harnesses and trainers: open a workspace, act in it, hand in, ask for rewards.

Standard library only, Python 3.9 or newer. `Client` blocks; `AsyncClient` has the same methods to await.

    with Client().open_session(task="proctor/tap-shell") as session:
        print(session.shell("ls").stdout)
    print(session.wait_for_reward().reward)

A function per trainer stands in `proctor_client.trainers`, what dropping does to advantages in `proctor_client.groups`.
"""

from .async_client import AsyncClient, shared_async_client
from .client import Client, shared_client
from .errors import BadRequest, Outage, ProctorError, Withheld
from .rewards import Reward
from .session import AsyncSession, Session
from .shapes import ActionError, End, Event, Feedback, Instance, Observation, Output, SessionInfo

#: The same as the service's.
__version__ = "0.1.0"
__all__ = [
    "ActionError", "AsyncClient", "AsyncSession", "BadRequest", "Client", "End", "Event", "Feedback", "Instance",
    "Observation", "Outage", "Output", "ProctorError", "Reward", "Session", "SessionInfo", "Withheld",
    "shared_async_client", "shared_client",
]
