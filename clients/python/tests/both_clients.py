"""The same call by the client that blocks and by the one to await."""

import asyncio

from proctor_client import AsyncClient, Client, ProctorError


def items_of(count, **more):
    return [{"id": f"i{place}", "submission_id": f"sub_{place}", **more} for place in range(count)]


def by_both(url, method, *given, **named):
    """The same call by both clients: what it gave, or the error that it raised."""
    yield _outcome(lambda: getattr(Client(url, "k"), method)(*given, **named))

    async def awaited():
        async with AsyncClient(url, "k") as client:
            return await getattr(client, method)(*given, **named)

    yield _outcome(lambda: asyncio.run(awaited()))


def streamed_by_both(url, items, **named):
    yield _outcome(lambda: list(Client(url, "k").stream_rewards(items, **named)))

    async def awaited():
        async with AsyncClient(url, "k") as client:
            return [one async for one in client.stream_rewards(items, **named)]

    yield _outcome(lambda: asyncio.run(awaited()))


def _outcome(work):
    try:
        return work()
    except ProctorError as error:
        return error
