"""The least that each server could be asked for in place of a claim.

Decides these bare calls: each is what one's own code would send, through the same
driver, and no more. Must not know what a claim is.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

Floor = Callable[[int], Awaitable[object]]

# as many as a store has for its claims
CONNECTIONS = 8


@asynccontextmanager
async def evalsha(url: str) -> AsyncGenerator[Floor]:
    """Redis: call a script that sets one key, by the driver's client as it comes.

    By a single connection, as a store of its own URL has them, and one time limit, it
    would take about two thirds of that.
    """
    from redis.asyncio import Redis

    async with Redis.from_url(url.partition("?")[0]) as client:
        sha = await client.script_load("return redis.call('SET', KEYS[1], ARGV[1])")
        yield lambda number: client.evalsha(sha, 1, f"floor:{number}", "token")


@asynccontextmanager
async def insert(url: str) -> AsyncGenerator[Floor]:
    """PostgreSQL: insert a row, unless it is there."""
    import asyncpg  # type: ignore[import-untyped]  # pyright: ignore[reportMissingTypeStubs]

    async with asyncpg.create_pool(
        url.partition("?")[0], min_size=CONNECTIONS, max_size=CONNECTIONS
    ) as pool:
        await pool.execute(
            "CREATE TABLE IF NOT EXISTS floor (slot bigint PRIMARY KEY, token text)"
        )
        await pool.execute("TRUNCATE floor")
        # kept, since a pool resets what it is given back, which is one more round trip
        kept = [await pool.acquire() for _ in range(CONNECTIONS)]
        idle = asyncio.LifoQueue[asyncpg.Connection]()
        for connection in kept:
            idle.put_nowait(connection)

        async def call(number: int) -> None:
            connection = await idle.get()
            text = "INSERT INTO floor VALUES ($1, $2) ON CONFLICT DO NOTHING"
            await connection.execute(text, number, "token")
            idle.put_nowait(connection)

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
