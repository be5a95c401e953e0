"""The write lock of a SQLite store: who waits for it, and who doesn't have to."""

import random
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import TypeVar, TypeVarTuple

import anyio
import pytest

from anarchon.backends.sqlite import SqliteBackend
from anarchon.bridge import Bridge, open_bridge
from anarchon.protocol import ClaimReply, ClaimStore, Won
from anarchon.testing.conformance import ManualClock
from anarchon.testing.conformance.probe import LEASE, LeaseProbe, Link

pytestmark = pytest.mark.anyio

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

CUTS = 400
BURST = 2_000


class Patience(Link):
    """A store of which an answer is expected within ``bound`` seconds."""

    def __init__(self, bridge: Bridge, store: ClaimStore) -> None:
        super().__init__(bridge, store)
        self.bound = 10.0

    async def call(self, operation: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> T:
        """Carry out one operation; its answer beats a cancellation."""
        return await self._bridge.call(operation, *args, bound=self.bound, keep=True)


@pytest.fixture
def clock() -> ManualClock:
    """Return the store's clock."""
    return ManualClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Name the store's file."""
    return tmp_path / "jobs.db"


@pytest.fixture
async def link(path: Path, clock: ManualClock) -> AsyncGenerator[Patience]:
    """Open the store."""
    backend = SqliteBackend(path, clock=clock)
    async with open_bridge(True) as bridge, bridge.hold(backend.open()) as store:
        yield Patience(bridge, store)


@pytest.fixture
def job(link: Patience, clock: ManualClock) -> LeaseProbe:
    """Return a job of the store."""
    return LeaseProbe(link, clock)


@pytest.fixture
def rival(link: Patience, path: Path) -> Generator[sqlite3.Connection]:
    """Open the file a second time, and take its write lock."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection


async def test_claim_waits_for_the_lock(
    job: LeaseProbe, clock: ManualClock, rival: sqlite3.Connection
) -> None:
    """A claim is answered once the lock is free, by the time that it is then."""
    replies: list[ClaimReply] = []

    async def ask() -> None:
        replies.append(await job.claim("a"))

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        await anyio.sleep(0.05)
        assert [] == replies
        clock.move(7)
        rival.execute("COMMIT")
    assert [Won(now=clock.ms, attempt=1, left=LEASE)] == replies


async def test_reading_needs_no_lock(
    job: LeaseProbe, rival: sqlite3.Connection
) -> None:
    """Whoever writes doesn't hold up those who read."""
    assert [] == await job.history()
    assert () == (await job.unfinished()).runs


async def test_step_that_was_given_up_never_happens(
    job: LeaseProbe, link: Patience, rival: sqlite3.Connection
) -> None:
    """A claim that still waits for the lock when its caller leaves is not made."""
    link.bound = 0.1
    with pytest.raises(TimeoutError):
        await job.claim("a")
    await _free(job, link, rival)
    assert () == (await job.unfinished()).runs


async def test_steps_that_wait_behind_it_are_given_up_as_well(
    job: LeaseProbe, link: Patience, rival: sqlite3.Connection
) -> None:
    """A held-up connection doesn't work off what nobody waits for any more."""
    link.bound = 0.1
    names = [f"job {number}" for number in range(20)]

    async def ask(name: str) -> None:
        with pytest.raises(TimeoutError):
            await job.named(name).claim("a")

    async with anyio.create_task_group() as group:
        for name in names:
            group.start_soon(ask, name)
    await _free(job, link, rival)
    assert () == (await job.unfinished(*names)).runs


async def _free(job: LeaseProbe, link: Patience, rival: sqlite3.Connection) -> None:
    """Give the lock back, but not before the store knows who has left."""
    link.bound = 10.0
    await job.time()
    rival.execute("COMMIT")


async def test_heartbeat_overtakes_a_burst_of_claims(job: LeaseProbe) -> None:
    """A beat isn't queued behind the claims that were sent before it."""
    await job.claim("a")
    won = 0

    async def ask(name: str) -> None:
        nonlocal won
        await job.named(name).claim("b")
        won += 1

    async with anyio.create_task_group() as group:
        for number in range(BURST):
            group.start_soon(ask, f"job {number}")
        await anyio.sleep(0.01)
        assert (await job.heartbeat("a")).accepted
        assert won < BURST
    assert BURST == won


async def test_random_cancellations_lose_no_claim(job: LeaseProbe) -> None:
    """What the store granted is known to the host, whenever the host was cancelled."""
    names = [f"job {number}" for number in range(CUTS)]
    known: set[str] = set()
    struck = 0
    for name in names:
        with anyio.move_on_after(random.uniform(0, 0.001)) as scope:
            if isinstance(await job.named(name).claim("a"), Won):
                known.add(name)
        struck += scope.cancel_called
    granted = {run.job for run in (await job.unfinished(*names)).runs}
    assert granted == known
    assert 0 < struck
