"""The least that each store could be asked for in place of a claim.

Decides these bare calls: each is the least that one's own code could send, through the
same driver, and no more. Must not know what a claim is.
"""

# asyncpg brings no types, and aiosqlite has no public way to do two things in one hop
# pyright: reportMissingTypeStubs=false, reportPrivateUsage=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Protocol, cast

import anyio.lowlevel

Floor = Callable[[int], Awaitable[object]]
Opening = Callable[[str], AbstractAsyncContextManager[Floor]]

CONNECTIONS = 8
SET_ONE_KEY = "return redis.call('SET', KEYS[1], ARGV[1])"


class Connection(Protocol):
    """What a connection of Redis's driver does, whose own types don't tell."""

    def pack_command(self, *words: str | int) -> object:
        """Return what goes over the wire."""
        ...

    async def send_packed_command(self, command: object) -> None:
        """Connect first, if need be."""
        ...

    async def read_response(self) -> object:
        """Wait for the reply to the first command that has had none."""
        ...

    async def disconnect(self) -> None:
        """Close it."""
        ...


@asynccontextmanager
async def assign(url: str) -> AsyncGenerator[Floor]:  # noqa: ARG001  there is none
    """Memory: let other tasks have a turn, and set a key of a dictionary."""
    tokens: dict[int, str] = {}

    async def call(number: int) -> None:
        await anyio.lowlevel.checkpoint()
        tokens[number] = "token"

    yield call


@asynccontextmanager
async def insert_in_file(url: str) -> AsyncGenerator[Floor]:
    """SQLite: insert a row in a transaction of its own, in one hop to the thread."""
    import aiosqlite

    from anarchon.backends.sqlite.file import connect

    path = Path(url.removeprefix("sqlite:///").partition("?")[0]).with_name("floor.db")
    async with aiosqlite.Connection(partial(connect, path), 1) as connection:
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS floor "
            "(slot INTEGER PRIMARY KEY, token TEXT) STRICT"
        )
        await connection.execute("DELETE FROM floor")

        def insert(number: int) -> None:
            steps = connection._conn  # noqa: SLF001
            steps.execute("BEGIN IMMEDIATE")
            text = "INSERT INTO floor VALUES (?, ?) ON CONFLICT DO NOTHING"
            steps.execute(text, (number, "token"))
            steps.execute("COMMIT")

        yield lambda number: connection._execute(insert, number)  # type: ignore[no-untyped-call]  # noqa: SLF001


@asynccontextmanager
async def evalsha(url: str) -> AsyncGenerator[Floor]:
    """Redis: call a script that sets one key, over connections without a client."""
    from redis.asyncio import ConnectionPool

    pool = ConnectionPool.from_url(url.partition("?")[0], decode_responses=True)
    another = cast("Callable[[], Connection]", pool.make_connection)
    made = [another() for _ in range(CONNECTIONS)]
    idle, room = list(made), asyncio.Semaphore(CONNECTIONS)

    async def ask(*words: str | int) -> object:
        async with room:
            connection = idle.pop()
            await connection.send_packed_command(connection.pack_command(*words))
            reply = await connection.read_response()
            idle.append(connection)
            return reply

    sha = str(await ask("SCRIPT", "LOAD", SET_ONE_KEY))
    yield lambda number: ask("EVALSHA", sha, 1, f"floor:{number}", "token")
    for connection in made:
        await connection.disconnect()


@asynccontextmanager
async def evalsha_by_client(url: str) -> AsyncGenerator[Floor]:
    """Redis: call the same script by the driver's client as it comes, with its pool."""
    from redis.asyncio import Redis

    async with Redis.from_url(url.partition("?")[0]) as client:
        sha = await client.script_load(SET_ONE_KEY)
        yield lambda number: client.evalsha(sha, 1, f"floor:{number}", "token")


@asynccontextmanager
async def insert(url: str) -> AsyncGenerator[Floor]:
    """PostgreSQL: insert a row, unless it is there."""
    import asyncpg  # type: ignore[import-untyped]

    async with asyncpg.create_pool(
        url.partition("?")[0], min_size=CONNECTIONS, max_size=CONNECTIONS
    ) as pool:
        await pool.execute(
            "CREATE TABLE IF NOT EXISTS floor (slot bigint PRIMARY KEY, token text)"
        )
        await pool.execute("TRUNCATE floor")
        # kept, since a pool resets what it is given back, which is one more round trip
        kept = [await pool.acquire() for _ in range(CONNECTIONS)]
        idle, room = list(kept), asyncio.Semaphore(CONNECTIONS)

        async def call(number: int) -> None:
            async with room:
                connection = idle.pop()
                text = "INSERT INTO floor VALUES ($1, $2) ON CONFLICT DO NOTHING"
                await connection.execute(text, number, "token")
                idle.append(connection)

        yield call
        for connection in kept:
            await pool.release(connection)


@asynccontextmanager
async def publish(url: str) -> AsyncGenerator[Floor]:
    """NATS: publish a message to a stream, and wait for its acknowledgement."""
    import nats

    client = await nats.connect(url.partition("?")[0])
    stream = client.jetstream()
    await stream.add_stream(name="floor", subjects=["floor.>"], max_msgs=1000)
    yield lambda number: stream.publish(f"floor.{number}", b"token")
    await client.close()


@asynccontextmanager
async def confirm(url: str) -> AsyncGenerator[Floor]:
    """RabbitMQ: publish a message to a stream, and wait for its confirmation."""
    import aio_pika

    async with await aio_pika.connect(url.partition("?")[0]) as connection:
        channel = await connection.channel()
        await channel.declare_queue(
            "floor", durable=True, arguments={"x-queue-type": "stream"}
        )
        exchange = channel.default_exchange
        message = aio_pika.Message(b"token", delivery_mode=2)
        yield lambda _: exchange.publish(message, "floor")
