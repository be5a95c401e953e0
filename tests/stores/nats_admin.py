"""What an operator does to the streams of a NATS server, in a loop of its own.

Decides nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio.to_thread
import nats
from nats.js import JetStreamContext

from tests.servers.server import Server

T = TypeVar("T")


async def on_server(
    server: Server, deed: Callable[[JetStreamContext], Awaitable[T]]
) -> T:
    """Do something on a server with a client that knows nothing of the store."""

    async def do() -> T:
        client = await nats.connect(server.url)
        try:
            return await deed(client.jetstream())
        finally:
            await client.close()

    return await anyio.to_thread.run_sync(asyncio.run, do())
