"""Rows that the SQLite store can't have written: told by their place, and no more."""

import sqlite3
from collections.abc import AsyncGenerator, Generator
from contextlib import closing
from pathlib import Path

import pytest

from anarchon.backends.records import Unreadable
from anarchon.backends.sqlite import SqliteBackend
from anarchon.model import End, Status
from anarchon.protocol import Won
from anarchon.testing.conformance import ManualClock
from anarchon.testing.conformance.clock import SLOT
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


@pytest.fixture
def file(link: Link, path: Path) -> Generator[sqlite3.Connection]:
    """Open the file past the store, as its user may."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


@pytest.fixture
async def job(link: Link, clock: ManualClock) -> LeaseProbe:
    """Return a job with a run under way, beside another one."""
    job = LeaseProbe(link, clock)
    await job.claim("a")
    await job.named("other").claim("b")
    return job


@pytest.mark.parametrize(
    "garbage", ["attempt = 0", "attempt = -3", "lease = -1", "freed = -1"]
)
async def test_unreadable_run_is_named(
    job: LeaseProbe, file: sqlite3.Connection, garbage: str
) -> None:
    """The runs of other jobs are read all the same."""
    file.execute(f"UPDATE anarchon_runs SET {garbage} WHERE job = 'job'")
    unfinished = await job.unfinished("other")
    assert ["other"] == [run.job for run in unfinished.runs]
    [(key, problem)] = unfinished.unreadable
    assert f"run {SLOT} of job 'job'" == key
    assert "no number that can stand there" in problem


async def test_claim_on_an_unreadable_run_fails(
    job: LeaseProbe, file: sqlite3.Connection, clock: ManualClock
) -> None:
    """Nobody is granted what can't be read; the other jobs go on."""
    file.execute("UPDATE anarchon_runs SET attempt = 0 WHERE job = 'job'")
    with pytest.raises(Unreadable, match=f"run {SLOT} of job 'job' can't be read"):
        await job.take_over("c", attempt=2)
    await job.named("other").finish("b")
    clock.move(60)
    assert isinstance(await job.named("other").claim("d", SLOT + 60_000), Won)


@pytest.mark.parametrize(
    "garbage",
    ["status = 'gone'", "reason = ''", "started = 9223372036854775807", "attempt = 0"],
)
async def test_unreadable_record_is_named(
    job: LeaseProbe, file: sqlite3.Connection, garbage: str
) -> None:
    """A history with garbage in it is an error that says where."""
    file.execute(f"UPDATE anarchon_records SET {garbage} WHERE job = 'job'")
    with pytest.raises(Unreadable, match=f"of run {SLOT} of job 'job' can't be"):
        await job.history()
    assert 1 == len(await job.named("other").history())


async def test_text_that_is_no_text_hurts_only_itself(
    job: LeaseProbe, file: sqlite3.Connection
) -> None:
    """Bytes that aren't UTF-8 don't make the rows beside them unreadable."""
    file.execute(
        "UPDATE anarchon_runs SET instance_id = CAST(x'ff41' AS TEXT) WHERE job = 'job'"
    )
    unfinished = await job.unfinished("other")
    assert ["\ufffdA", "B"] == [run.instance_id for run in unfinished.runs]


@pytest.mark.parametrize("error", ["lone \udcff surrogate", "a NUL \0 here", "ünï"])
async def test_any_text_of_an_error_can_be_kept(job: LeaseProbe, error: str) -> None:
    """Whatever an exception says, its run can be finished, also when told twice."""
    end = End(status=Status.FAILED, duration=0.5, error=error)
    assert (await job.finish("a", end=end)).accepted
    assert (await job.finish("a", end=end)).accepted
    [record] = await job.history()
    assert error.replace("\udcff", "\\udcff") == record.error
