"""A lane to PostgreSQL whose connection has died since it was last used."""

import asyncio
from typing import cast

import asyncpg  # type: ignore[import-untyped]  # pyright: ignore[reportMissingTypeStubs]
import pytest

from anarchon.backends.postgres.driver import Connection
from anarchon.backends.postgres.lane import Lane
from anarchon.backends.postgres.sql import Query

QUERY = Query("SELECT 1")
DEAD, ALIVE = cast("Connection", "dead"), cast("Connection", "alive")

ENDS = [
    ConnectionResetError(),
    asyncpg.ConnectionDoesNotExistError(),
    asyncpg.InterfaceError("the connection is closed"),
    # the server has said that it goes, and hasn't gone yet
    asyncpg.InternalClientError("cannot switch to state"),
    asyncpg.AdminShutdownError(),
]


class Source:
    """Gives a dead connection, and then one that is alive."""

    def __init__(self) -> None:
        self.idle = [ALIVE, DEAD]
        self.dropped: list[Connection] = []

    async def take(self) -> Connection:
        """Return the one that was used last."""
        return self.idle.pop()

    async def give_back(self, connection: Connection) -> None:
        """Take it back."""
        self.idle.append(connection)

    def drop(self, connection: Connection) -> None:
        """Note that it failed."""
        self.dropped.append(connection)


@pytest.mark.parametrize("end", ENDS, ids=lambda end: type(end).__name__)
def test_dead_connection_is_replaced_unnoticed(end: Exception) -> None:
    """However the driver words its end, the question is asked over another one."""
    source = Source()
    lane = Lane(source, 1)

    async def way(connection: Connection, query: Query) -> object:
        if connection is DEAD:
            raise end
        return query.text

    lane.way = way
    assert QUERY.text == asyncio.run(lane.ask(QUERY))
    assert [DEAD] == source.dropped
    assert [ALIVE] == source.idle
