"""A line to the server: commands go one way, as many replies come back.

Decides how a connection that died is done away with. Must not know what is sent. A
command that the server refuses has its error for a reply, and hurts no other.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

from redis.asyncio import ConnectionPool, Redis, RedisCluster
from redis.exceptions import ResponseError

Client: TypeAlias = Redis | RedisCluster
Words: TypeAlias = tuple[str | int, ...]

PATIENCE = 5.0


class Line(Protocol):
    """What a lane speaks through."""

    async def send(self, commands: Sequence[Words]) -> list[object]:
        """Send commands at once and return their replies, in order.

        Cancelled, they were carried out or not.
        """
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

    async def send(self, commands: Sequence[Words]) -> list[object]:
        """Send commands at once; whatever cuts that short, the connection is given up.

        Raises:
            TimeoutError: no answer in time; the outcome is unknown, as with any error.
        """
        packed = self._connection.pack_commands(commands)
        try:
            async with asyncio.timeout(PATIENCE):
                await self._connection.send_packed_command(packed)
                return [await self._reply() for _ in commands]
        except BaseException:
            # replies that were not read would be taken for those of the next commands
            await self._connection.disconnect(  # noqa: ASYNC102  nothing is waited for
                nowait=True
            )
            raise

    async def _reply(self) -> object:
        try:
            reply: object = await self._connection.read_response()
        except ResponseError as error:
            return error  # noqa: ASYNC910  it was waited for
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

    async def send(self, commands: Sequence[Words]) -> list[object]:
        """Send commands one by one, on connections that the client chooses."""
        return [  # noqa: ASYNC910  there is one at least
            await self._send(words) for words in commands
        ]

    async def _send(self, words: Words) -> object:
        try:
            reply: object = await self._execute(*words)
        except ResponseError as error:
            return error  # noqa: ASYNC910  it was waited for
        return reply

    async def reset(self) -> None:
        """Close the connections that nobody uses now; a cluster's client does that."""
        await asyncio.sleep(0)
        if isinstance(self._client, Redis):
            await self._client.connection_pool.disconnect(inuse_connections=False)
