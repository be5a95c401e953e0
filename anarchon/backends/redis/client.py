"""The clients of a store: made and closed here, or borrowed from the user.

Decides that a client made here neither retries nor waits for long. Must not know what
is sent.
"""

import asyncio
import contextlib
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self, TypeAlias, cast

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import SentinelConnectionPool
from redis.backoff import NoBackoff

from anarchon.backends.address import Address
from anarchon.backends.clients import check_home
from anarchon.backends.redis.home import check_loop
from anarchon.bridge import Bridge
from anarchon.errors import InvalidOption

PATIENCE = 5.0
CLOSING = 2.0

Client: TypeAlias = Redis | RedisCluster
Factory = Callable[[], Client | Awaitable[Client]]
Source = Address | Client | Factory


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """Where a store has its clients from.

    ``another`` gives one that nobody else uses, or the same one for all. ``size`` is
    how many connections they may have together, ``None`` for as many as are wanted.
    """

    another: Callable[[], Client]
    size: int | None = None
    cluster: bool = False


@asynccontextmanager
async def opened(source: Source, bridge: Bridge | None) -> AsyncGenerator[Clients]:
    """Yield where clients come from; what was made for this store is closed afterwards.

    Raises:
        InvalidOption: the client lives in another loop, or what was made is none.
    """
    if isinstance(source, Redis | RedisCluster):
        check_home("RedisBackend", bridge)
        check_loop(source)
        yield _shared(source)
        return
    async with _Closing() as made:
        if isinstance(source, Address):
            yield Clients(another=lambda: made.add(_from(source)))
        else:
            yield _shared(made.add(await _made_by(source)))


def _shared(client: Client) -> Clients:
    if isinstance(client, RedisCluster):
        size = client.connection_kwargs.get("max_connections")
    else:
        size = client.connection_pool.max_connections
    return Clients(
        another=lambda: client, size=size, cluster=isinstance(client, RedisCluster)
    )


def _from(address: Address) -> Redis:
    untyped: Any = Redis
    client: Redis = untyped.from_url(
        address.url,
        # a pool costs a third of a call
        single_connection_client=True,
        # what is sent again is decided where it is known to be harmless
        retry=Retry(NoBackoff(), 0),
        retry_on_timeout=False,
        socket_timeout=PATIENCE,
        socket_connect_timeout=PATIENCE,
        health_check_interval=0,
        protocol=2,
    )
    return client


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
    """Closes clients in the end, within bounds."""

    def __init__(self) -> None:
        self._clients: list[Client] = []

    def add(self, client: Client) -> Client:
        """Close this one too."""
        self._clients += [client, *_sentinels_of(client)]
        return client

    async def __aenter__(self) -> Self:
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:  # noqa: ASYNC910  that waits
        ends = (client.aclose() for client in self._clients)
        closing = asyncio.gather(*ends, return_exceptions=True)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(closing, CLOSING)  # noqa: ASYNC102  bounded


def _sentinels_of(client: Client) -> list[Redis]:
    """Return the clients by which a client finds its master."""
    pool: Any = getattr(client, "connection_pool", None)
    return [*pool.sentinel_manager.sentinels] if _asks_sentinels(pool) else []


def _asks_sentinels(pool: object) -> bool:
    return isinstance(pool, SentinelConnectionPool)
