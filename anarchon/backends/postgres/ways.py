"""Two ways to ask a server in one round trip: by a prepared statement, or in plain.

Decides how a query travels and its answer comes back. Must not know what is asked.

A prepared statement is the faster one, but lives in one session of the server, and a
pooler of transactions changes sessions in between. In plain, a query is a COPY with all
values written into it: of what the simple protocol offers, that alone gives rows to the
driver's user.
"""

import json
from collections.abc import Awaitable, Callable

from anarchon.backends.postgres.driver import Connection
from anarchon.backends.postgres.sql import Query

Way = Callable[[Connection, Query], Awaitable[object]]

# of COPY's binary format, which unlike its others gives a value as it is: around one
# row of one field stand signature, flags and lengths, and a mark of the end
_BEFORE, _AFTER = 25, 2


async def prepared(connection: Connection, query: Query) -> object:
    """Ask by a statement that the driver prepares once for each connection."""
    return json.loads(await connection.fetchval(query.text, *query.values))


async def in_plain(connection: Connection, query: Query) -> object:
    """Ask by a statement that nothing has to be prepared for."""
    parts: list[bytes] = []

    async def keep(part: bytes) -> None:  # noqa: ASYNC124, ASYNC910  as is asked for
        parts.append(part)

    written = query.written()
    await connection.copy_from_query(written, output=keep, format="binary")
    return json.loads(b"".join(parts)[_BEFORE:-_AFTER])
