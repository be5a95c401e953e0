"""A word that a server keeps: written and read as users of each kind would.

Decides how, kind by kind, so that a test can ask any server for what it was given.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import TypeVar

import aio_pika
import nats
from aio_pika.abc import AbstractChannel
from aio_pika.exceptions import ChannelNotFoundEntity, ChannelPreconditionFailed
from nats.aio.client import Client
from nats.js.api import StreamConfig

from tests.servers.nats import USER, Nats
from tests.servers.pgbouncer import PgBouncer
from tests.servers.postgres import Postgres
from tests.servers.rabbitmq import RabbitMQ
from tests.servers.redis import Redis
from tests.servers.server import Server
from tests.servers.waits import PAUSE

T = TypeVar("T")

NAME = "kept"
LOG = {"x-queue-type": "stream"}
PATIENCE = 10.0


def keep(server: Server, word: str) -> None:
    """Let the server acknowledge this word."""
    match server:
        case Redis():
            with server.client() as client:
                client.set(NAME, word)
        case Postgres() | PgBouncer():
            server.ask(f"create table {NAME} as select '{word}' as word")
        case Nats():
            _run(_publish_to_stream(server, word))
        case RabbitMQ():
            _run(_publish_to_log(server.url, word))
        case _:
            raise NotImplementedError(server)


def kept(server: Server) -> str:
    """Return the word that the server was given."""
    match server:
        case Redis():
            with server.client() as client:
                return str(client.get(NAME))
        case Postgres() | PgBouncer():
            return server.ask(f"select word from {NAME}")
        case Nats():
            return _run(_read_stream(server))
        case RabbitMQ():
            return _run(_read_log(server.url))
        case _:
            raise NotImplementedError(server)


def _run(steps: Coroutine[None, None, T]) -> T:
    async def bounded() -> T:
        async with asyncio.timeout(PATIENCE):
            return await steps

    return asyncio.run(bounded())


async def _connect(server: Nats) -> Client:
    # the driver would take a password from the URL as it is written there
    return await nats.connect(
        f"nats://{server.host}:{server.port}",
        user=USER if server.password else None,
        password=server.password,
        tls=server.trust(),
    )


async def _publish_to_stream(server: Nats, word: str) -> None:
    client = await _connect(server)
    streams = client.jetstream()
    await streams.add_stream(StreamConfig(name=NAME, subjects=[NAME]))
    await streams.publish(NAME, word.encode())
    await client.close()


async def _read_stream(server: Nats) -> str:
    client = await _connect(server)
    message = await client.jetstream().get_last_msg(NAME, NAME)
    await client.close()
    return (message.data or b"").decode()


async def _publish_to_log(url: str, word: str) -> None:
    async with await aio_pika.connect(url) as connection:
        channel = await connection.channel()
        await channel.declare_queue(NAME, durable=True, arguments=dict(LOG))
        message = aio_pika.Message(word.encode())
        await channel.default_exchange.publish(message, routing_key=NAME)


async def _read_log(url: str) -> str:
    async with await aio_pika.connect(url) as connection:
        while True:
            # shortly after the node answers the stream, or its part here, is still away
            with suppress(ChannelNotFoundEntity, ChannelPreconditionFailed):
                return await _first(await connection.channel())
            await asyncio.sleep(PAUSE)


async def _first(channel: AbstractChannel) -> str:
    log = await channel.get_queue(NAME)
    await channel.set_qos(1)
    async with log.iterator(arguments={"x-stream-offset": "first"}) as messages:
        message = await anext(messages)
        await message.ack()
        return message.body.decode()
