"""From one start to the next: what is kept, what can be read, what is closed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest

from anarchon import (
    BackendUnavailable,
    MemoryBackend,
    SchedulerNotRunning,
    open_scheduler,
)
from anarchon.backends.memory.store import MemoryClaimStore
from anarchon.events import Error, Event, Start, Success, Takeover
from anarchon.model import State, Status
from anarchon.testing.clocks import VirtualClock
from anarchon.testing.faults import FAIL_BEFORE, HANG_BEFORE
from tests.alone import open_alone
from tests.engine.counting import CountingBackend

pytestmark = pytest.mark.anyio


@pytest.fixture
def clock() -> VirtualClock:
    """Return the clock of the scheduler and the store."""
    return VirtualClock()


@pytest.fixture
def backend(clock: VirtualClock) -> CountingBackend:
    """Return a store that counts."""
    return CountingBackend(clock)


async def nothing() -> None:
    """Do the job's work."""


async def forever() -> None:
    """Work until cancelled."""
    await anyio.sleep_forever()


async def test_a_scheduler_works_after_a_second_start() -> None:
    """Timers, claims, watches and takeovers are those of the new life."""
    async with open_alone(lease=15, heartbeat=5) as alone:
        alone.scheduler.every("sync", "1m", nothing)
        slot = alone.scheduler.next_slot("sync")
        await anyio.sleep(slot / 1000 - alone.clock.time())
        await alone.rival_wins(slot, lease=15)
        await anyio.sleep(1)
        await alone.scheduler.stop()
        await anyio.sleep(30)
        await alone.scheduler.start()
        slot = alone.scheduler.next_slot("sync")
        await anyio.sleep(slot / 1000 - alone.clock.time())
        await alone.rival_wins(slot, lease=15)
        await alone.until_seen(Takeover, 2)
        await alone.until_seen(Success, 3)

        assert [2, 2] == [takeover.attempt for takeover in alone.seen(Takeover)]
        assert [] == alone.seen(Error)


async def test_jobs_that_change_between_two_lives_are_known_in_the_second() -> None:
    """What is added or removed while idle counts from the next start on."""
    async with open_alone() as alone:
        alone.scheduler.every("old", "1m", nothing)
        await alone.until_seen(Success)
        await alone.scheduler.stop()
        alone.scheduler.remove("old")
        alone.scheduler.every("new", "1m", nothing)
        await alone.scheduler.start()
        await alone.until_seen(Success, 2)
        await alone.until_seen(Success, 3)

        assert ["old", "new", "new"] == [event.job for event in alone.seen(Success)]


async def test_history_can_be_read_while_idle(backend: CountingBackend) -> None:
    """Before the start and after the stop the store is opened for the call alone."""
    async with open_scheduler(backend, start=False, catch_up=0) as scheduler:
        scheduler.every("sync", "1h", nothing)
        before = await scheduler.history("sync")
        await scheduler.start()
        await scheduler.run_now("sync")
        await scheduler.stop()
        after = await scheduler.history("sync")
        last = await scheduler.last_run("sync")

        assert ([], [Status.SUCCESS]) == (before, [record.status for record in after])
        assert last == after[0]
        assert (4, 0) == (backend.opened, backend.open_now)


async def test_history_says_when_the_store_can_not_be_read() -> None:
    """Whatever the store raises, reading raises BackendUnavailable."""
    async with open_alone() as alone:
        alone.faults.always(FAIL_BEFORE, "history")
        with pytest.raises(BackendUnavailable, match="the request was lost"):
            await alone.scheduler.history("sync")
        alone.faults.always(HANG_BEFORE, "history")
        with pytest.raises(BackendUnavailable, match="no answer"):
            await alone.scheduler.last_run("sync")
        await alone.scheduler.stop()
        with pytest.raises(BackendUnavailable, match="no answer"):
            await alone.scheduler.last_run("sync")
        alone.faults.always(FAIL_BEFORE, "open")
        with pytest.raises(BackendUnavailable):
            await alone.scheduler.history("sync")


async def test_history_of_a_driver_with_its_own_errors() -> None:
    """A driver's exception, of whatever class, doesn't come out of history."""

    class DriverError(Exception):
        pass

    class BrokenStore(MemoryClaimStore):
        async def history(self, job: str, limit: int) -> list[object]:  # type: ignore[override]
            raise DriverError("relation does not exist")

    class BrokenBackend(MemoryBackend):
        @asynccontextmanager
        async def open(self) -> AsyncGenerator[MemoryClaimStore]:
            yield BrokenStore(self._data)

    async with open_scheduler(BrokenBackend(leases=False)) as scheduler:
        with pytest.raises(BackendUnavailable, match="relation does not exist"):
            await scheduler.history("sync")
        await scheduler.stop()
        with pytest.raises(BackendUnavailable, match="relation does not exist"):
            await scheduler.history("sync")


async def test_a_fault_while_closing_is_told_and_stop_returns(
    backend: CountingBackend,
) -> None:
    """A store that fails when it is closed is an error event, no exception."""
    events: list[Event] = []
    async with open_scheduler(backend) as scheduler:
        scheduler.on("error", events.append)
        backend.on_close = OSError("lost the connection")
        await scheduler.stop()
        state = scheduler.state

    assert State.IDLE == state
    [error] = events
    assert isinstance(error, Error)
    assert ("close", "OSError: lost the connection") == (error.operation, error.error)


@pytest.mark.parametrize("leaving", [False, True])
async def test_a_store_that_hangs_while_closing_is_left_behind(
    backend: CountingBackend, leaving: bool
) -> None:
    """Closing takes five seconds at most, whoever waits for it."""
    async with open_scheduler(backend) as scheduler:
        backend.hangs_on_close = True
        if not leaving:
            await scheduler.stop()

    assert State.IDLE == scheduler.state
    assert anyio.current_time() <= 5


async def test_a_left_block_can_not_be_started_again(
    backend: CountingBackend,
) -> None:
    """After the block nothing lives any more that could carry the scheduler."""
    async with open_scheduler(backend) as scheduler:
        pass

    with pytest.raises(SchedulerNotRunning, match="has been left"):
        await scheduler.start()
    await scheduler.stop()
    assert State.IDLE == scheduler.state


async def test_two_schedulers_may_live_in_one_block(clock: VirtualClock) -> None:
    """They share a store object as two instances of one cluster."""
    backend = MemoryBackend(clock=clock)
    told: list[Event] = []
    async with (
        open_scheduler(backend, instance_id="A", clock=clock, jitter=0) as a,
        open_scheduler(backend, instance_id="B", clock=clock, jitter=0) as b,
    ):
        for scheduler in (a, b):
            scheduler.on("start", told.append)
            scheduler.every("sync", "1m", nothing)
        await anyio.sleep(150)

    slots = [event.slot for event in told if isinstance(event, Start)]
    assert sorted(set(slots)) == sorted(slots)
    assert 2 <= len(slots) <= 3
