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
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol, TypeVar

from anarchon.backends.postgres.driver import BROKEN, Connection
from anarchon.backends.postgres.sql import Query
from anarchon.backends.postgres.ways import Way, in_plain

T = TypeVar("T")

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

        def work(connection: Connection) -> Awaitable[object]:
            return self.way(connection, query)

        async with asyncio.timeout(PATIENCE):
            with suppress(*BROKEN):
                return await self.using(work)
            return await self.using(work)

    async def using(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Do something with a connection; if that fails, it is the end of both."""
        async with self._free:
            connection = await self._source.take()
            try:
                result = await work(connection)
            except BaseException:
                self._source.drop(connection)
                raise
            await self._source.give_back(connection)
            return result
