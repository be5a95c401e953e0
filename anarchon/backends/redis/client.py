"""The client of a store: made and closed here, or borrowed from the user.

Decides that a client made here neither retries nor waits for long. Must not know what
is sent.
"""

import asyncio
import contextlib
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeAlias, cast

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import SentinelConnectionPool
from redis.backoff import NoBackoff

from anarchon.backends.address import Address
from anarchon.backends.clients import check_home
from anarchon.bridge import Bridge
from anarchon.errors import InvalidOption

PATIENCE = 5.0
CLOSING = 2.0

Client: TypeAlias = Redis | RedisCluster
Factory = Callable[[], Client | Awaitable[Client]]
Source = Address | Client | Factory
Command = Callable[..., Awaitable[object]]


@asynccontextmanager
async def opened(source: Source, bridge: Bridge | None) -> AsyncGenerator[Client]:
    """Yield the client; one that was made for this store is closed afterwards.

    Raises:
        InvalidOption: the client lives in another loop, or what was made is none.
    """
    if isinstance(source, Redis | RedisCluster):
        check_home("RedisBackend", bridge)
        _check_loop(source)
        yield source
        return
    made = _from(source) if isinstance(source, Address) else source()
    # a client can be awaited too, but would be left open if that failed
    client = made if isinstance(made, Redis | RedisCluster) else await _awaited(made)
    async with _Closing(client):
        yield client


async def info_of(client: Client) -> Mapping[str, object]:
    """Return what the server tells of itself; of a cluster, one of its nodes."""
    return cast("Mapping[str, object]", await command_of(client)("INFO"))


def command_of(client: Client) -> Command:
    """Return how the client sends a command; its own types don't tell."""
    untyped: Any = client
    return cast("Command", untyped.execute_command)


def pools_of(client: Client) -> Sequence[Any]:
    """Return what has the connections: a pool, or the nodes of a cluster."""
    if isinstance(client, RedisCluster):
        return client.get_nodes()
    return [client.connection_pool]


async def drop_idle(client: Client) -> None:  # noqa: ASYNC910  a cluster's does it
    """Close the connections that nobody uses now."""
    if not isinstance(client, RedisCluster):
        await client.connection_pool.disconnect(inuse_connections=False)


def _check_loop(client: Client) -> None:
    """Refuse a client that is connected in another loop, before its use breaks it."""
    here = asyncio.get_running_loop()
    for connection in _connections_of(client):
        # kept private by the driver, whose own error tells where this finds nothing
        reader = getattr(connection, "_reader", None)
        if getattr(reader, "_loop", here) is not here:
            raise InvalidOption(
                "the client for RedisBackend is connected in another event loop than "
                "the one that runs here; make it in this one"
            )


def _connections_of(client: Client) -> list[object]:
    names = ("_available_connections", "_connections")
    pools = pools_of(client)
    return [one for pool in pools for name in names for one in getattr(pool, name, ())]


class _Closing:
    """Closes a client in the end, within bounds."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def __aenter__(self) -> None:
        await asyncio.sleep(0)

    async def __aexit__(self, *_: object) -> None:  # noqa: ASYNC910  that waits
        clients = [self._client, *_sentinels_of(self._client)]
        ends = (client.aclose() for client in clients)
        closing = asyncio.gather(*ends, return_exceptions=True)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(closing, CLOSING)  # noqa: ASYNC102  bounded


def _sentinels_of(client: Client) -> list[Redis]:
    """Return the clients by which a client finds its master."""
    pool: Any = getattr(client, "connection_pool", None)
    return [*pool.sentinel_manager.sentinels] if _asks_sentinels(pool) else []


def _asks_sentinels(pool: object) -> bool:
    return isinstance(pool, SentinelConnectionPool)


async def _awaited(made: object) -> Client:
    client = made
    if inspect.isawaitable(made):
        client = await cast("Awaitable[object]", made)
    if not isinstance(client, Redis | RedisCluster):
        raise InvalidOption(
            "a function that makes the client of a Redis store returns a Redis or "
            f"RedisCluster of redis.asyncio, not a {type(client)}"
        )
    return client  # noqa: ASYNC910  what can't be awaited is refused


def _from(address: Address) -> Redis:
    untyped: Any = Redis
    client: Redis = untyped.from_url(
        address.url,
        # what is sent again is decided where it is known to be harmless
        retry=Retry(NoBackoff(), 0),
        retry_on_timeout=False,
        socket_timeout=PATIENCE,
        socket_connect_timeout=PATIENCE,
        health_check_interval=0,
        protocol=2,
    )
    return client
