"""What the events of a run say, and in which order they come."""

import anyio
import pytest

from anarchon import MemoryBackend, RunContext
from anarchon.events import ClockSkew, Interrupted, RunEvent, Start, Success, Takeover
from anarchon.model import Reason, Status
from anarchon.testing.clocks import EPOCH, VirtualClock
from tests.alone import Alone, open_alone

pytestmark = pytest.mark.anyio


async def nothing() -> None:
    """Do the job's work."""


async def left_behind(alone: Alone) -> int:
    """Let B win a slot of ``sync`` and leave it; return the slot."""
    slot = alone.scheduler.next_slot("sync")
    await anyio.sleep(slot / 1000 - alone.clock.time())
    await alone.rival_wins(slot, lease=10)
    return slot


async def test_a_takeover_is_told_before_its_start() -> None:
    """From whom, and how long after the lease's end; then attempt 2 begins."""
    async with open_alone(lease=15, heartbeat=5) as alone:
        alone.scheduler.every("sync", "10m", nothing)
        slot = await left_behind(alone)
        success = await alone.until_seen(Success)

        [takeover] = alone.seen(Takeover)
        assert ["skip", "takeover", "start", "success"] == alone.names()
        assert ("B", "A") == (takeover.from_instance, takeover.instance_id)
        assert takeover.waited is not None
        assert 0 <= takeover.waited <= 1.25
        assert {("sync", slot, 2)} == {
            (event.job, event.slot, event.attempt) for event in alone.seen(RunEvent)[1:]
        }
        assert Reason.TAKEOVER == alone.seen(Start)[0].reason
        assert ("A", 2) == (success.record.instance_id, success.record.attempt)


async def test_a_handler_of_a_takeover_knows_that_it_is_one() -> None:
    """Attempt, reason and a fence above that of the attempt before."""
    contexts: list[RunContext] = []

    async def handler(ctx: RunContext) -> None:
        contexts.append(ctx)

    async with open_alone(lease=15, heartbeat=5) as alone:
        alone.scheduler.every("sync", "10m", handler)
        slot = await left_behind(alone)
        await alone.until_seen(Success)

    [ctx] = contexts
    assert (2, "takeover", (slot, 2)) == (ctx.attempt, ctx.reason, ctx.fence)


async def test_a_caught_up_run_is_told_as_that() -> None:
    """The latest slot before the start, within the time that is caught up."""
    async with open_alone(start=False, catch_up=300) as alone:
        alone.scheduler.every("sync", "1m", nothing)
        await anyio.sleep(250)
        await alone.scheduler.start()
        success = await alone.until_seen(Success, within=1)

        assert ["start", "success"] == alone.names()
        assert Reason.CATCH_UP == alone.seen(Start)[0].reason
        assert round((EPOCH + 240) * 1000) == success.slot
        assert Reason.CATCH_UP == success.record.reason


async def test_a_record_tells_the_stores_time_and_the_runners_duration() -> None:
    """Start and end are instants of the store; the duration is the handler's."""

    async def handler() -> None:
        await anyio.sleep(7)

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        success = await alone.until_seen(Success)

        [stored] = await alone.history()
        record = success.record
        assert stored == record
        assert record.ended_at is not None
        assert EPOCH + 60 == record.started_at.timestamp()
        assert EPOCH + 67 == record.ended_at.timestamp()
        assert (7.0, None, False, False) == (
            record.duration,
            record.error,
            record.manual,
            record.handed_over,
        )


async def test_a_run_in_progress_can_be_seen() -> None:
    """In the store's history and on the instance alike."""

    async def handler() -> None:
        await anyio.sleep(7)

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        await anyio.sleep(1)

        [stored] = await alone.scheduler.history("sync")
        assert (stored,) == alone.scheduler.running()
        assert stored == await alone.scheduler.last_run("sync")
        assert (Status.RUNNING, None, None) == (
            stored.status,
            stored.ended_at,
            stored.duration,
        )


async def test_a_wrong_clock_is_told_with_its_offset() -> None:
    """Once when it passes a second, and once when it is back."""
    clock, store_clock = VirtualClock(offset=-5), VirtualClock()
    backend = MemoryBackend(clock=store_clock)
    async with open_alone(clock=clock, backend=backend) as alone:
        alone.scheduler.every("sync", "10s", nothing)
        await anyio.sleep(60)
        clock.step(5)
        await anyio.sleep(130)

        [first, last] = alone.seen(ClockSkew)
        assert 5.0 == pytest.approx(first.offset, abs=0.1)
        assert 0.0 == pytest.approx(last.offset, abs=0.1)


async def test_an_end_tells_whether_anything_follows() -> None:
    """A handed-over attempt isn't final; one that a newer slot replaced is."""

    async def handler() -> None:
        await anyio.sleep(50)

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        await alone.scheduler.stop()
        await anyio.sleep(59.999)
        await alone.scheduler.start()
        await alone.until_seen(Interrupted, 2)

        handed_over, replaced = alone.seen(Interrupted)[:2]
        assert (True, False) == (handed_over.handed_over, handed_over.final)
        assert (handed_over.slot, True) == (replaced.slot, replaced.final)
