"""A lane: so many connections at most, and one question at a time on each of them.

Decides how long an answer is waited for, and what becomes of a connection that failed.
Must not know what is asked.

A question that was cut short, by its deadline or by a cancellation, leaves its
connection in the middle of something. The driver would then ask the server, over one
more connection, to cancel it, and have the next user wait for that; a frozen server
never answers. So such a connection is torn down, and with it those that lie idle:
whatever has befallen one of them may have befallen all.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from anarchon.backends.postgres.driver import BROKEN, Connection
from anarchon.backends.postgres.sql import Query
from anarchon.backends.postgres.ways import Way, in_plain

PATIENCE = 4.5


class Source(Protocol):
    """Where a lane has its connections from."""

    async def take(self) -> Connection:
        """Return a connection that nobody else uses."""
        ...

    async def give_back(self, connection: Connection) -> None:
        """Take back one that worked; never fails."""
        ...

    def drop(self, connection: Connection) -> None:
        """Tear down one that failed, and whatever may have failed with it."""
        ...


class Lane:
    """Connections from ``source``, at most ``size`` of them at a time.

    ``way`` is how they are asked; at first the one that works everywhere.
    """

    def __init__(self, source: Source, size: int) -> None:
        self.way: Way = in_plain
        self._source = source
        self._free = asyncio.Semaphore(size)

    async def ask(self, query: Query) -> object:
        """Run a query in one round trip, and return the JSON value that it answers.

        A connection that broke since it was last used is replaced once and the same
        asked again: steps are harmless when repeated.

        Raises:
            TimeoutError: no answer in time; the outcome is unknown, as with any error.
        """
        async with asyncio.timeout(PATIENCE):
            with suppress(*BROKEN):
                return await self._ask(query)
            return await self._ask(query)

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[Connection]:
        """Lend a connection; whatever is raised meanwhile is the end of it."""
        async with self._free:
            connection = await self._source.take()
            try:
                yield connection
            except BaseException:
                self._source.drop(connection)
                raise
            await self._source.give_back(connection)

    async def _ask(self, query: Query) -> object:
        async with self.connection() as connection:
            return await self.way(connection, query)
