"""What a claim on the SQLite store costs, beside the least that one could cost.

The floor inserts one row in one transaction, in one hop through aiosqlite, with the
same settings. The claims are of a job in use, whose history is full and gets trimmed.
The two take turns in one run. Run it by ``python benchmarks/sqlite_claim.py``.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import aiosqlite

from anarchon.backends.sqlite import SqliteBackend
from anarchon.backends.sqlite.file import connect
from anarchon.model import End, Overlap, Reason, Status
from anarchon.protocol import Claim, LeaseStore, Won

ROUNDS = 7
CLAIMS = 300
KEEP = 100

TABLE = """
CREATE TABLE claims (
    job TEXT, slot INTEGER, token TEXT, PRIMARY KEY (job, slot)
) STRICT, WITHOUT ROWID
"""
INSERT = """
INSERT INTO claims VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING token
"""
SUCCESS = End(status=Status.SUCCESS, duration=0.1)

Claiming = Callable[[int], Awaitable[None]]


class Floor(aiosqlite.Connection):
    """A connection that claims a slot by nothing but a row."""

    async def claim(self, slot: int) -> None:
        """Insert it in one hop."""
        assert await self._execute(self._insert, slot)  # type: ignore[no-untyped-call]

    def _insert(self, slot: int) -> bool:
        connection = self._conn
        connection.execute("BEGIN IMMEDIATE")
        won = connection.execute(INSERT, ("job", slot, str(slot))).fetchall()
        connection.execute("COMMIT")
        return bool(won)


async def claim(store: LeaseStore, slot: int) -> None:
    """Claim a slot as an instance does."""
    reply = await store.claim(
        Claim(
            job="job",
            slot=slot,
            token=str(slot),
            attempt=1,
            instance_id="host:1",
            mode=Reason.SCHEDULED,
            lease=30.0,
            overlap=Overlap.SKIP,
            max_attempts=3,
            limit=1e10,
            startable=1e10,
            keep=KEEP,
            keep_for=0.0,
        )
    )
    assert isinstance(reply, Won)


async def one_round(store: LeaseStore, floor: Floor, first: int) -> tuple[float, float]:
    """Return the median seconds of a claim and of the floor, taken in turns."""
    claims: list[float] = []
    floors: list[float] = []
    for slot in range(first, first + CLAIMS):
        claims.append(await timed(partial(claim, store), slot))
        await store.finish("job", slot, str(slot), SUCCESS)
        floors.append(await timed(floor.claim, slot))
    return statistics.median(claims), statistics.median(floors)


async def timed(claiming: Claiming, slot: int) -> float:
    """Return how many seconds a claim takes."""
    began = time.perf_counter()
    await claiming(slot)
    return time.perf_counter() - began


async def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store.db")
        floor = Floor(partial(connect, Path(folder, "floor.db")), 1)
        async with SqliteBackend(path).open() as store, floor:
            await floor.execute(TABLE)
            warmed = CLAIMS * (ROUNDS + 1)
            rounds = [
                await one_round(store, floor, first)
                for first in range(0, warmed, CLAIMS)
            ][1:]
    claims, floors = zip(*rounds, strict=True)
    report("claim", claims)
    report("floor", floors)
    ratios = [mine / least for mine, least in rounds]
    print(
        f"ratio  {statistics.median(ratios):.2f}"
        f" ({min(ratios):.2f} to {max(ratios):.2f}; goal at most 1.5)"
    )


def report(name: str, medians: tuple[float, ...]) -> None:
    """Print the median of some rounds' medians, and their spread."""
    low, middle, high = min(medians), statistics.median(medians), max(medians)
    print(f"{name}  {middle * 1e6:6.0f} us ({low * 1e6:.0f} to {high * 1e6:.0f})")


if __name__ == "__main__":
    asyncio.run(main())
