"""What the log says of a scheduler as a whole, and of the store beneath it."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest

from anarchon import MemoryBackend
from anarchon.backends.memory.store import MemoryLeaseStore
from anarchon.backends.records import Unreadable
from anarchon.events import Error, Interrupted, Start
from anarchon.protocol import Claim, ClaimReply
from anarchon.testing.clocks import VirtualClock
from anarchon.testing.faults import FAIL_BEFORE
from tests.alone import open_alone

pytestmark = pytest.mark.anyio


async def handler() -> None:
    """Take a while."""
    await anyio.sleep(50)


def lines(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    """Return the first two words of what was logged at a level or above it."""
    return [
        " ".join(logged.getMessage().split()[:2])
        for logged in caplog.records
        if logged.name == "anarchon" and logged.levelno >= level
    ]


async def test_start_and_stop_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Who runs how many jobs on which store, also while none is due."""
    caplog.set_level(logging.INFO, "anarchon")
    async with open_alone() as alone:
        alone.scheduler.every("sync", "10h", handler)
        await anyio.sleep(60)
    started, stopped = (logged.getMessage() for logged in caplog.records)
    assert started.startswith("started instance_id=A jobs=0 store=FaultyBackend(")
    assert "stopped instance_id=A" == stopped


async def test_an_outage_is_two_lines(caplog: pytest.LogCaptureFixture) -> None:
    """Its first error and its end; each error is an event all the same."""
    async with open_alone(max_late=300) as alone:
        for number in range(5):
            alone.scheduler.every(f"job{number}", "1m", handler, overlap="allow")
        await anyio.sleep(30)
        alone.faults.partition()
        await anyio.sleep(60)
        alone.faults.heal()
        await anyio.sleep(60)
        errors = alone.seen(Error)
    assert len(errors) > 20
    assert [False] + [True] * (len(errors) - 1) == [error.again for error in errors]
    told = [
        line for line in lines(caplog, logging.WARNING) if "interrupted" not in line
    ]
    assert ["error instance_id=A", "store answers"] == told


class SickStore(MemoryLeaseStore):
    """A store in which the data of every claim's job makes no sense."""

    async def claim(self, claim: Claim) -> ClaimReply:
        """Say so, which is an answer."""
        raise Unreadable(claim.job, "it makes no sense")


class SickBackend(MemoryBackend):
    """The backend of such a store."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[MemoryLeaseStore]:
        """Yield the store."""
        yield SickStore(self._data)


async def test_data_without_sense_is_no_silence(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Told each time as an error, also right after an outage, whose end it is."""
    backend = SickBackend(clock=VirtualClock())
    async with open_alone(backend=backend) as alone:
        alone.faults.script("claim", FAIL_BEFORE, FAIL_BEFORE)
        # not when the unfinished runs are read, which would be heard
        alone.scheduler.every("sync", "1m", handler, offset=10)
        await anyio.sleep(120)
        errors = [error.again for error in alone.seen(Error)]
    assert [False, True, False, False] == errors[:4]
    told = lines(caplog, logging.WARNING)
    assert ["error instance_id=A", "store answers", "error instance_id=A"] == told[:3]


@pytest.mark.parametrize("leases", [True, False])
async def test_an_interruption_that_nobody_takes_up_is_final(leases: bool) -> None:
    """A backup takes up a lease store's run; a claim-only store's is over."""
    async with open_alone(leases=leases) as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        await alone.scheduler.stop()
        [interrupted] = alone.seen(Interrupted)
    assert (leases, not leases) == (interrupted.handed_over, interrupted.final)


async def test_an_interrupted_manual_run_is_final() -> None:
    """It is a run of its own, which nobody takes up on any store."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "10h", handler)
        with anyio.move_on_after(5):
            await alone.scheduler.run_now("sync")
        interrupted = await alone.until_seen(Interrupted)
    assert (True, True) == (interrupted.record.manual, interrupted.final)


async def test_a_record_tells_its_slot_as_an_instant() -> None:
    """The slot in milliseconds, and the same as an aware instant."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        start = await alone.until_seen(Start)
        [record] = await alone.history()
    assert start.slot / 1000 == record.scheduled_at.timestamp()
    assert record.scheduled_at.tzinfo is not None
