"""The file of a SQLite store is removed or replaced while the store has it open."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from anarchon.backends.sqlite import SqliteBackend
from anarchon.errors import BackendUnavailable
from anarchon.protocol import Won
from anarchon.testing.conformance import ManualClock
from anarchon.testing.conformance.probe import LeaseProbe, Link, linked

pytestmark = pytest.mark.anyio


@pytest.fixture
def clock() -> ManualClock:
    """Return the store's clock."""
    return ManualClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Name the store's file."""
    return tmp_path / "jobs.db"


@pytest.fixture
async def link(path: Path, clock: ManualClock) -> AsyncGenerator[Link]:
    """Open the store."""
    async with linked(SqliteBackend(path, clock=clock)) as link:
        yield link


def move(file: Path, to: Path) -> None:
    """Rename a file, over another one if there is one."""
    file.replace(to)


async def test_a_replaced_file_decides_nothing(
    link: Link, path: Path, clock: ManualClock
) -> None:
    """Whoever comes later has the new file, so what the old one grants is void."""
    async with linked(SqliteBackend(path.with_name("new.db"), clock=clock)):
        move(path.with_name("new.db"), path)
    job = LeaseProbe(link, clock)

    with pytest.raises(BackendUnavailable, match="removed or replaced"):
        await job.claim("a")
    with pytest.raises(BackendUnavailable, match=os.fspath(path)):
        await job.history()


async def test_a_removed_file_that_is_put_back_goes_on(
    link: Link, path: Path, clock: ManualClock
) -> None:
    """Nothing is granted while it is away, and nothing was lost."""
    job, aside = LeaseProbe(link, clock), path.with_name("aside.db")
    won = await job.claim("a")
    assert isinstance(won, Won)
    move(path, aside)
    with pytest.raises(BackendUnavailable, match="removed or replaced"):
        await job.heartbeat("a")
    move(aside, path)

    assert (await job.heartbeat("a")).accepted
