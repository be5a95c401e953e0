"""A line to the server: one command, one reply.

Decides how a connection that died is done away with. Must not know what is sent.
"""

import asyncio
from typing import Any, Protocol, TypeAlias

from redis.asyncio import ConnectionPool, Redis, RedisCluster

Client: TypeAlias = Redis | RedisCluster

PATIENCE = 5.0


class Line(Protocol):
    """What a lane speaks through."""

    async def send(self, *words: str | int) -> object:
        """Send a command and return its reply; cancelled, it was carried out or not."""
        ...

    async def reset(self) -> None:
        """Do away with connections that may be dead; new ones are made when needed."""
        ...


class OwnLine:
    """A single connection, since finding one in a pool costs a third of a call.

    It connects when something is sent, again after any failure.
    """

    def __init__(self, pool: ConnectionPool) -> None:
        # the driver's own types don't tell
        untyped: Any = pool
        self._connection = untyped.make_connection()

    async def send(self, *words: str | int) -> object:
        """Send a command; whatever cuts it short, the connection is given up.

        Raises:
            TimeoutError: no answer in time; the outcome is unknown, as with any error.
        """
        async with asyncio.timeout(PATIENCE):
            await self._connection.send_command(*words)
            reply: object = await self._connection.read_response()
            return reply

    async def reset(self) -> None:
        """Close the connection."""
        await self._connection.disconnect()


class ClientLine:
    """A client that may serve many callers at a time."""

    def __init__(self, client: Client) -> None:
        self._client = client
        untyped: Any = client
        self._execute = untyped.execute_command

    async def send(self, *words: str | int) -> object:
        """Send a command on a connection that the client chooses."""
        reply: object = await self._execute(*words)
        return reply

    async def reset(self) -> None:
        """Close the connections that nobody uses now; a cluster's client does that."""
        await asyncio.sleep(0)
        if isinstance(self._client, Redis):
            await self._client.connection_pool.disconnect(inuse_connections=False)
