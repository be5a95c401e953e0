"""asyncpg as far as it is used here, with the types that it doesn't have itself.

Decides nothing; loads the driver.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeGuard, cast

import asyncpg  # type: ignore[import-untyped]  # pyright: ignore[reportMissingTypeStubs]

CONNECT_WITHIN = 5

BROKEN: tuple[type[Exception], ...] = (
    OSError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
)
"""What a connection raises that was cut, a server that goes away, or a timeout."""

UNHEARD: tuple[type[Exception], ...] = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
)
"""What says nothing of the question: nobody answers, or the server goes away."""


class Connection(Protocol):
    """A connection, or what a pool lends as one."""

    def copy_from_query(
        self,
        query: str,
        *,
        output: Callable[[bytes], Awaitable[None]],
        format: str,  # noqa: A002  as the driver calls it
    ) -> Awaitable[str]:
        """Run a query by the simple protocol, and pass on its rows as they come."""
        ...

    def fetchval(self, query: str, *args: object) -> Awaitable[str]:
        """Run a query by a prepared statement, and return its one value."""
        ...

    def get_server_pid(self) -> int:
        """Tell the number of the server's process, as whoever answers says it is."""
        ...

    def execute(self, query: str) -> Awaitable[str]:
        """Run statements without arguments by the simple protocol."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[object]:
        """Begin a transaction, and end it with the block."""
        ...

    def is_closed(self) -> bool:
        """Tell whether it is known to be of no more use."""
        ...

    def terminate(self) -> None:
        """Close the socket at once, and end whatever waits for it."""
        ...

    def close(self, *, timeout: float) -> Awaitable[None]:
        """Take leave of the server."""
        ...


class Pool(Protocol):
    """A pool that a user made."""

    def acquire(self) -> Awaitable[Connection]:
        """Lend a connection."""
        ...

    def release(self, connection: Connection, *, timeout: float) -> Awaitable[None]:
        """Reset a connection, and take it back."""
        ...

    def get_max_size(self) -> int:
        """Tell how many connections it has at most."""
        ...

    def close(self) -> Awaitable[None]:
        """Wait for all connections, and close them."""
        ...


def is_pool(candidate: object) -> TypeGuard[Pool]:
    """Whether this is a pool of asyncpg."""
    return isinstance(candidate, asyncpg.Pool)


def loop_of(pool: Pool) -> asyncio.AbstractEventLoop | None:
    """Return the loop that a pool lives in; it isn't public, and may be unknown."""
    return cast("asyncio.AbstractEventLoop | None", getattr(pool, "_loop", None))


async def connect(url: str) -> Connection:
    """Open a connection."""
    make = cast("Callable[..., Awaitable[Connection]]", asyncpg.connect)  # pyright: ignore[reportUnknownMemberType]
    return await make(url, timeout=CONNECT_WITHIN)
