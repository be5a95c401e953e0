"""The least that each server could be asked for in place of a claim.

Decides these bare calls: each is what one's own code would send, through the same
driver, and no more. Must not know what a claim is.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

Floor = Callable[[int], Awaitable[object]]


@asynccontextmanager
async def evalsha(url: str) -> AsyncGenerator[Floor]:
    """Redis: call a script that sets one key."""
    from redis.asyncio import BlockingConnectionPool, Redis

    pool = BlockingConnectionPool.from_url(url.partition("?")[0], max_connections=16)
    async with Redis(connection_pool=pool) as client:
        text = "return redis.call('SET', KEYS[1], ARGV[1])"
        sha = await client.script_load(text)
        yield lambda number: client.evalsha(sha, 1, f"floor:{number}", "token")
    await pool.disconnect()


@asynccontextmanager
async def insert(url: str) -> AsyncGenerator[Floor]:
    """PostgreSQL: insert a row, unless it is there."""
    import asyncpg  # type: ignore[import-untyped]  # pyright: ignore[reportMissingTypeStubs]

    async with asyncpg.create_pool(
        url.partition("?")[0], min_size=1, max_size=10
    ) as pool:
        await pool.execute(
            "CREATE TABLE IF NOT EXISTS floor (slot bigint PRIMARY KEY, token text)"
        )
        await pool.execute("TRUNCATE floor")
        text = "INSERT INTO floor VALUES ($1, $2) ON CONFLICT DO NOTHING"
        yield lambda number: pool.execute(text, number, "token")


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
