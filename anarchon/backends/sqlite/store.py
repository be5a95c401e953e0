"""The open SQLite store: each method is one step, in one hop to a connection's thread.

Decides which connection carries what. Must not know what the steps do.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from anarchon.backends.sqlite import steps
from anarchon.backends.sqlite.connection import Connection
from anarchon.backends.sqlite.file import check_version, connect, unavailable
from anarchon.backends.sqlite.mounts import network_of
from anarchon.backends.sqlite.schema import set_up
from anarchon.backends.sqlite.sql import statements
from anarchon.model import End, RunRecord
from anarchon.protocol import Answer, Claim, ClaimReply, Unfinished

logger: logging.Logger = logging.getLogger("anarchon")


@asynccontextmanager
async def open_store(
    path: Path, namespace: str, now: Callable[[], int]
) -> AsyncGenerator["SqliteStore"]:
    """Open the file, set its tables up, yield the store and close the file.

    Cancelled while opening, there may be a file with tables in it.

    Raises:
        BackendUnavailable: the file can't be used.
        BackendTooOld: the SQLite library is, or the tables are newer than this code.
    """
    check_version()
    connection = partial(
        Connection, path=path, statements=statements(namespace), now=now
    )
    async with AsyncExitStack() as stack:
        with unavailable(path):
            work = await stack.enter_async_context(connection(_connect_first))
            await work.write(set_up, path)
            beats = await stack.enter_async_context(connection(connect))
        yield SqliteStore(work, beats, now)


def _connect_first(path: Path) -> sqlite3.Connection:
    if kind := network_of(path):
        logger.warning(
            "SQLite's locks are not to be trusted on %s, where %s is", kind, path
        )
    return connect(path)


class SqliteStore:
    """Claims and ends go one way; heartbeats and releases another, past any burst."""

    def __init__(
        self, work: Connection, beats: Connection, now: Callable[[], int]
    ) -> None:
        self._work = work
        self._beats = beats
        self._now = now

    async def time(self) -> int:
        """Return the store's clock, which is the host's."""
        await asyncio.sleep(0)
        return self._now()

    async def prepare(self, jobs: Sequence[str]) -> None:  # noqa: ARG002  as promised
        """Do nothing: jobs need no preparation here."""
        await asyncio.sleep(0)

    async def claim(self, claim: Claim) -> ClaimReply:
        """Answer a claim (L1 to L6, L9); cancelled, it was answered or not made."""
        return await self._work.write(steps.claim, claim)

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """End the attempt and its record (L7, L10); cancelled, it is done or not."""
        return await self._work.write(steps.finish, job, slot, token, end)

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add a manual run's record, once; cancelled, it is there or not."""
        await self._work.write(steps.record, record, token, keep)

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Return the newest ``limit`` records, newest first."""
        return await self._work.read(steps.history, job, limit)

    async def heartbeat(self, job: str, slot: int, token: str, lease: float) -> Answer:
        """Push the lease's end (L7); cancelled, it was pushed or not."""
        return await self._beats.write(steps.heartbeat, job, slot, token, lease)

    async def release(self, job: str, slot: int, token: str) -> Answer:
        """End the lease and spend the token (L8); cancelled, it is done or not."""
        return await self._beats.write(steps.release, job, slot, token)

    async def unfinished(self, jobs: Sequence[str]) -> Unfinished:
        """Return the unfinished runs of these jobs; changes nothing."""
        return await self._work.read(steps.unfinished, jobs)
