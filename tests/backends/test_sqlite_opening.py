"""An opening of the SQLite file that is cut: the file is closed all the same."""

import asyncio
import sqlite3
import threading
from pathlib import Path

import pytest

from anarchon.backends.sqlite.connection import Connection

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """A connection lives in an asyncio loop, whatever the host's is."""
    return "asyncio"


class Counted(sqlite3.Connection):
    """Counts those that are open."""

    open_now = 0

    def close(self) -> None:
        """Close it and count."""
        Counted.open_now -= 1
        super().close()


async def test_a_file_that_was_opened_for_nobody_is_closed(tmp_path: Path) -> None:
    """Whoever asked for it has left when it is open; left to itself it would warn."""
    opening, go_on = threading.Event(), threading.Event()

    def connect(path: Path) -> sqlite3.Connection:
        opening.set()
        go_on.wait(10)
        Counted.open_now += 1
        return sqlite3.connect(path, factory=Counted)

    async def enter() -> None:
        async with Connection(connect, tmp_path / "jobs.db", {}, int):
            await asyncio.sleep(10)

    task = asyncio.create_task(enter())
    await asyncio.to_thread(opening.wait, 10)
    task.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert 0 == Counted.open_now
