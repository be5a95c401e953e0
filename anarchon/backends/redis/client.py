"""The connections of a store: made and closed here, or those of a client.

Decides that a connection made here neither retries nor waits for long, and whose a
client is to close. Must not know what is sent.
"""

import asyncio
import contextlib
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self, cast

from redis.asyncio import ConnectionPool, Redis, RedisCluster
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import SentinelConnectionPool
from redis.backoff import NoBackoff

from anarchon.backends.address import Address, reaching
from anarchon.backends.clients import check_home
from anarchon.backends.redis.home import check_loop
from anarchon.backends.redis.line import Client, ClientLine, Line, OwnLine
from anarchon.bridge import Bridge
from anarchon.errors import InvalidOption

# sooner than any answer is given up, so that the error says what took too long
CONNECT_WITHIN = 4.0
CLOSING = 2.0

Factory = Callable[[], Client | Awaitable[Client]]
Source = Address | Client | Factory


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Where a store has its lines to the server from.

    ``another`` gives one that nobody else uses, or the same one for all. ``size`` is
    how many connections there may be in all, ``None`` for as many as are wanted.
    ``shared`` says that a line of one's own takes many commands at once.
    """

    another: Callable[[], Line]
    size: int | None = None
    cluster: bool = False
    shared: bool = False


@asynccontextmanager
async def opened(source: Source, bridge: Bridge | None) -> AsyncGenerator[Lines]:
    """Yield where lines come from; what was made for this store is closed afterwards.

    Raises:
        BackendUnavailable: the driver refuses the URL, or a factory failed.
        InvalidOption: the client lives in another loop, or what was made is none.
    """
    if isinstance(source, Redis | RedisCluster):
        check_home("RedisBackend", bridge)
        check_loop(source)
        yield _lines_of(source)
        return
    async with _Closing() as closing:
        if isinstance(source, Address):
            with reaching(source):
                pool = _pool_of(source)
            yield Lines(another=lambda: closing.add_line(OwnLine(pool)), shared=True)
        else:
            with reaching("the Redis server"):
                async with asyncio.timeout(CONNECT_WITHIN):
                    client = closing.add_client(await _made_by(source))
            yield _lines_of(client)


def _lines_of(client: Client) -> Lines:
    line = ClientLine(client)
    if isinstance(client, RedisCluster):
        size = client.connection_kwargs.get("max_connections")
        return Lines(another=lambda: line, size=size, cluster=True)
    return Lines(another=lambda: line, size=client.connection_pool.max_connections)


def _pool_of(address: Address) -> ConnectionPool:
    untyped: Any = ConnectionPool
    pool: ConnectionPool = untyped.from_url(
        address.url,
        # what is sent again is decided where it is known to be harmless
        retry=Retry(NoBackoff(), 0),
        retry_on_timeout=False,
        # with one, the driver sends in a way that may lose a cancellation
        socket_timeout=None,
        socket_connect_timeout=CONNECT_WITHIN,
        health_check_interval=0,
        protocol=2,
    )
    return pool


async def _made_by(factory: Factory) -> Client:
    made: object = factory()
    # a client can be awaited too, but would be left open if that failed
    if inspect.isawaitable(made) and not isinstance(made, Redis | RedisCluster):
        made = await cast("Awaitable[object]", made)
    if not isinstance(made, Redis | RedisCluster):
        raise InvalidOption(
            "a function that makes the client of a Redis store returns a Redis or "
            f"RedisCluster of redis.asyncio, not a {type(made)}"
        )
    return made  # noqa: ASYNC910  what is there needn't be waited for


class _Closing:
    """Closes what was added to it in the end, within bounds."""

    def __init__(self) -> None:
        self._closers: list[Callable[[], Awaitable[object]]] = []

    def add_line(self, line: OwnLine) -> OwnLine:
        """Close this line too."""
        self._closers.append(line.reset)
        return line

    def add_client(self, client: Client) -> Client:
        """Close this client too, and those that it asks for its master."""
        clients = [client, *_sentinels_of(client)]
        self._closers += [client.aclose for client in clients]
        return client

    async def __aenter__(self) -> Self:
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:  # noqa: ASYNC910  that waits
        ends = (close() for close in self._closers)
        closing = asyncio.gather(*ends, return_exceptions=True)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(closing, CLOSING)  # noqa: ASYNC102  bounded


def _sentinels_of(client: Client) -> list[Redis]:
    """Return the clients by which a client finds its master."""
    pool: Any = getattr(client, "connection_pool", None)
    return [*pool.sentinel_manager.sentinels] if _asks_sentinels(pool) else []


def _asks_sentinels(pool: object) -> bool:
    return isinstance(pool, SentinelConnectionPool)
