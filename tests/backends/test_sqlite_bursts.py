"""Steps that share a transaction of a SQLite store, of which one fails."""

import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from anarchon.backends.sqlite import SqliteBackend
from anarchon.protocol import Won
from anarchon.testing.conformance import ManualClock
from anarchon.testing.conformance.probe import LeaseProbe, Link, linked

pytestmark = pytest.mark.anyio

BURST = 50
NAMES = [f"job {number}" for number in range(BURST)]
BAD = NAMES[BURST // 2]
CLOCK = ManualClock()


def spoil(path: Path, how: str) -> None:
    """Let SQLite refuse the last thing that a claim of one job writes."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            f"""
            CREATE TRIGGER spoilt AFTER INSERT ON anarchon_records
            WHEN NEW.job = '{BAD}' BEGIN SELECT RAISE({how}, 'no room'); END
            """
        )


async def claimed(link: Link) -> tuple[set[str], dict[str, str]]:
    """Claim all at once; return which were won, and what the others were told."""
    won: set[str] = set()
    told: dict[str, str] = {}

    async def claim(name: str) -> None:
        try:
            assert isinstance(await LeaseProbe(link, CLOCK, name).claim("a"), Won)
        except sqlite3.Error as error:
            told[name] = str(error)
        else:
            won.add(name)

    async with anyio.create_task_group() as group:
        for name in NAMES:
            group.start_soon(claim, name)
    return won, told


async def granted(link: Link) -> set[str]:
    """Return which jobs have an unfinished run, by the store."""
    unfinished = await LeaseProbe(link, CLOCK).unfinished(*NAMES)
    return {run.job for run in unfinished.runs}


async def test_step_that_fails_is_undone_alone(tmp_path: Path) -> None:
    """Nothing is left of what it wrote, and all others are kept."""
    path = tmp_path / "jobs.db"
    async with linked(SqliteBackend(path, clock=CLOCK)) as link:
        spoil(path, "ABORT")
        won, told = await claimed(link)

        assert {BAD: "no room"} == told
        assert {*NAMES} - {BAD} == won == await granted(link)


async def test_failure_that_undoes_all_is_told_to_all(tmp_path: Path) -> None:
    """What ends the whole transaction, as a full disk does, is each one's error."""
    path = tmp_path / "jobs.db"
    async with linked(SqliteBackend(path, clock=CLOCK)) as link:
        spoil(path, "ROLLBACK")
        won, told = await claimed(link)

        assert BAD in told
        assert {"no room"} == {*told.values()}
        assert {*NAMES} - {*told} == won == await granted(link)
