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
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from anarchon.backends.postgres.driver import BROKEN, Connection

PATIENCE = 4.5

# of COPY's binary format, which unlike its others gives a value as it is: around one
# row of one field stand signature, flags and lengths, and a mark of the end
_BEFORE, _AFTER = 25, 2


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
    """Connections from ``source``, at most ``size`` of them at a time."""

    def __init__(self, source: Source, size: int) -> None:
        self._source = source
        self._free = asyncio.Semaphore(size)

    async def ask(self, query: str) -> object:
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

    async def _ask(self, query: str) -> object:
        async with self.connection() as connection:
            return await asked(connection, query)


async def asked(connection: Connection, query: str) -> object:
    """Run a query that answers with one JSON value.

    As a COPY it travels by the simple protocol: one round trip, and no statement to be
    prepared, of which a pooler of transactions knows nothing.
    """
    parts: list[bytes] = []

    async def keep(part: bytes) -> None:
        parts.append(part)

    await connection.copy_from_query(query, output=keep, format="binary")
    return json.loads(b"".join(parts)[_BEFORE:-_AFTER])
