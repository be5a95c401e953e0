"""Where connections come from: a URL, or a pool that the user made.

Decides which are kept open. Must not know what is asked over them.
"""

import asyncio
import contextlib

from anarchon.backends.postgres.driver import BROKEN, Connection, Pool, connect

CLOSE_WITHIN = 1.0
RESET_WITHIN = 2.0


class Made:
    """Connections that are made when they are needed, and kept.

    They need no reset between two uses, which a pool of the driver would spend a round
    trip on: a step leaves nothing behind. Once this is closed, none is kept or made: a
    question may outlast the store.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._idle: list[Connection] = []
        self._closed = False

    async def take(self) -> Connection:
        """Return the one that was used last, or a new one.

        Raises:
            ConnectionError: this was closed.
        """
        if self._closed:
            raise ConnectionError("the store is closed")
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection  # noqa: ASYNC910  asking follows
        return await connect(self._url)

    async def give_back(self, connection: Connection) -> None:  # noqa: ASYNC910  asked
        """Keep it for the next question."""
        if self._closed:
            connection.terminate()
        else:
            self._idle.append(connection)

    def drop(self, connection: Connection) -> None:
        """Tear it down, and those that lie idle."""
        connection.terminate()
        while self._idle:
            self._idle.pop().terminate()

    async def aclose(self) -> None:
        """Take leave of the server, or tear down what it doesn't let go in time."""
        self._closed = True
        idle, self._idle = self._idle, []
        await asyncio.gather(*map(_close, idle))


class Lent:
    """Connections of the user's pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def take(self) -> Connection:
        """Ask the pool for one."""
        return await self._pool.acquire()

    async def give_back(self, connection: Connection) -> None:  # noqa: ASYNC910  asked
        """Return it to the pool, which resets it."""
        # the answer is there and counts; the pool tears down what it can't reset
        with contextlib.suppress(*BROKEN):
            await self._pool.release(connection, timeout=RESET_WITHIN)

    def drop(self, connection: Connection) -> None:
        """Tear it down; the pool notices, and may have done so itself."""
        with contextlib.suppress(*BROKEN):
            connection.terminate()


async def _close(connection: Connection) -> None:  # noqa: ASYNC910  a task's body
    with contextlib.suppress(*BROKEN):
        await connection.close(timeout=CLOSE_WITHIN)
