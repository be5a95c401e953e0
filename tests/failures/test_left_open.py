"""What a scheduler on a real file leaves behind: no thread, no open file."""

import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import psutil
import pytest

from anarchon import Scheduler, SqliteBackend, open_scheduler

pytestmark = pytest.mark.anyio

# idle threads that wait for any work belong to the loop, and end with it
LOOPS_OWN = ("AnyIO worker thread", "Trio thread", "asyncio_")


def threads() -> set[str]:
    """Return the names of the threads that aren't the loop's."""
    names = (thread.name for thread in threading.enumerate())
    return {name for name in names if not name.startswith(LOOPS_OWN)}


def open_files(folder: Path) -> list[str]:
    """Return the files in a folder that this process has open."""
    files = (file.path for file in psutil.Process().open_files())
    return [path for path in files if path.startswith(str(folder))]


async def forever() -> None:
    """Work until cancelled."""
    await anyio.sleep_forever()


async def returns(_: Scheduler) -> None:
    """Leave the block in the ordinary way."""


async def raises(_: Scheduler) -> None:
    """Leave it by an exception."""
    raise ValueError("odd")


async def waits(_: Scheduler) -> None:
    """Be cancelled."""
    await anyio.sleep_forever()


async def reads_while_idle(scheduler: Scheduler) -> None:
    """Read the history after a stop, and start again."""
    await scheduler.stop()
    assert 1 == len(await scheduler.history("sync"))
    await scheduler.start()


@pytest.mark.parametrize("body", [returns, raises, waits, reads_while_idle])
async def test_no_thread_and_no_file_stays_open(
    body: Callable[[Scheduler], Awaitable[None]], tmp_path: Path
) -> None:
    """However the block is left, the store is closed and its thread has ended."""
    before = threads()
    seen: list[int] = []
    try:
        with anyio.move_on_after(1):
            async with open_scheduler(
                SqliteBackend(tmp_path / "jobs.db"), jitter=0, catch_up=0
            ) as scheduler:
                scheduler.every("sync", "100ms", forever)
                while not scheduler.running():
                    await anyio.sleep(0.01)
                seen.append(len(open_files(tmp_path)))
                await body(scheduler)
    except ValueError:
        pass

    deadline = time.monotonic() + 2
    while threads() != before and time.monotonic() < deadline:
        await anyio.sleep(0.01)
    assert seen[0] > 0
    assert before == threads()
    assert [] == open_files(tmp_path)
