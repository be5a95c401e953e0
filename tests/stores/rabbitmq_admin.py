"""What an operator does to a RabbitMQ server, in a loop of its own.

Decides nothing.
"""

import asyncio
import subprocess
from collections.abc import Awaitable, Callable
from typing import TypeVar

import aio_pika
import anyio.to_thread
from aio_pika.abc import AbstractChannel

from tests.servers.rabbitmq import SCRIPTS
from tests.servers.server import Server

T = TypeVar("T")


async def on_server(
    server: Server, deed: Callable[[AbstractChannel], Awaitable[T]]
) -> T:
    """Do something on a server with a client that knows nothing of the store."""

    async def do() -> T:
        async with await aio_pika.connect(server.url) as connection:
            return await deed(await connection.channel())

    return await anyio.to_thread.run_sync(asyncio.run, do())


async def put(server: Server, stream: str, body: bytes) -> None:
    """Write something to a stream."""

    async def deed(channel: AbstractChannel) -> None:
        message = aio_pika.Message(body, delivery_mode=2)
        await channel.default_exchange.publish(message, stream)

    await on_server(server, deed)


async def delete(server: Server, stream: str) -> None:
    """Delete a stream with all that is in it."""

    async def deed(channel: AbstractChannel) -> None:
        await channel.queue_delete(stream)

    await on_server(server, deed)


async def kinds_of_queues(server: Server) -> dict[str, str]:
    """Return the type of each queue, as the server's own tool tells it."""
    node = server.environment()["RABBITMQ_NODENAME"]
    command = [str(SCRIPTS / "rabbitmqctl"), "--quiet", "--node", node]
    done = await anyio.to_thread.run_sync(
        lambda: subprocess.run(
            [*command, "list_queues", "--no-table-headers", "name", "type"],
            env=server.environment(),
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        )
    )
    return dict(line.split("\t") for line in done.stdout.splitlines())
