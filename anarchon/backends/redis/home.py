"""The loop that a user's client lives in.

Decides whether it can be used here. Must not know what for.
"""

import asyncio
from typing import Any

from redis.asyncio import Redis, RedisCluster

from anarchon.errors import InvalidOption


def check_loop(client: Redis | RedisCluster) -> None:
    """Refuse a client that is connected in another loop, before its use breaks it.

    Raises:
        InvalidOption: says so.
    """
    here = asyncio.get_running_loop()
    for connection in _connections_of(client):
        # kept private by the driver, whose own error tells where this finds nothing
        reader = getattr(connection, "_reader", None)
        if getattr(reader, "_loop", here) is not here:
            raise InvalidOption(
                "the client for RedisBackend is connected in another event loop than "
                "the one that runs here; make it in this one"
            )


def _connections_of(client: Redis | RedisCluster) -> list[object]:
    untyped: Any = client
    if isinstance(client, RedisCluster):
        return [one for node in client.get_nodes() for one in _held(node)]
    return [untyped.connection, *_held(client.connection_pool)]


def _held(owner: object) -> list[object]:
    names = ("_available_connections", "_connections")
    return [one for name in names for one in getattr(owner, name, ())]
