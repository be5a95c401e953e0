"""Runs by hand that end early: by their caller, by a stop, by the timeout."""

import anyio
import pytest

from anarchon import RunContext
from anarchon.events import Interrupted, Start
from anarchon.model import RunRecord, Status
from tests.alone import open_alone

pytestmark = pytest.mark.anyio


async def nothing() -> None:
    """Do the job's work."""


async def slow() -> None:
    """Take a while."""
    await anyio.sleep(20)


async def test_a_caller_who_is_cancelled_cancels_the_run() -> None:
    """The handler learns that it was the caller; the run is recorded so."""
    reasons: list[object] = []

    async def handler(ctx: RunContext) -> None:
        try:
            await anyio.sleep(60)
        finally:
            reasons.append(ctx.cancel_reason)

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1h", handler)
        with anyio.move_on_after(5) as scope:
            await alone.scheduler.run_now("sync")

        assert scope.cancelled_caught
        assert ["caller"] == reasons
        assert () == alone.scheduler.running()
        [record] = await alone.history()
        assert (Status.INTERRUPTED, False) == (record.status, record.handed_over)
        assert record == alone.seen(Interrupted)[0].record


async def test_a_caller_waits_for_a_stubborn_handler_within_bounds() -> None:
    """A cancelled caller is held for the stop timeout and no longer."""

    async def handler() -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(60)

    async with open_alone(stop_timeout=10) as alone:
        alone.scheduler.every("sync", "1h", handler)
        with anyio.move_on_after(5):
            await alone.scheduler.run_now("sync")

        assert 15 == anyio.current_time()
        await anyio.sleep(50)
        assert [Status.SUCCESS] == await alone.statuses()


async def test_a_caller_cancelled_beforehand_runs_nothing() -> None:
    """A call that is cancelled when it is made begins no handler."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1h", nothing)
        with anyio.CancelScope() as scope:
            scope.cancel()
            await alone.scheduler.run_now("sync")

        await anyio.sleep(1)
        assert scope.cancelled_caught
        assert [] == alone.seen(Start)


async def test_a_stop_before_the_handler_starts_interrupts_it() -> None:
    """The caller gets a record that says so, and the job doesn't run."""
    statuses: list[Status] = []
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1h", nothing)
        for _ in range(20):
            await alone.scheduler.start()
            async with anyio.create_task_group() as tasks:
                # which of the two tasks goes first is left to the loop
                tasks.start_soon(alone.scheduler.stop)
                record = await alone.scheduler.run_now("sync")
            statuses.append(record.status)

        starts = len(alone.seen(Start))
        assert starts == statuses.count(Status.SUCCESS)
        assert 20 - starts == statuses.count(Status.INTERRUPTED) > 0
        assert statuses == await alone.statuses()


async def test_a_stop_during_a_run_by_hand_interrupts_it() -> None:
    """It ends like any run that is stopped, and is handed over to nobody."""
    records: list[RunRecord] = []
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1h", slow)

        async def run() -> None:
            records.append(await alone.scheduler.run_now("sync"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await anyio.sleep(5)
            await alone.scheduler.stop()

        [record] = records
        assert (Status.INTERRUPTED, False) == (record.status, record.handed_over)
        assert [record] == await alone.history()


async def test_a_run_by_hand_that_outlives_the_stop_ends_for_its_caller() -> None:
    """The caller waits for the handler, and gets a record that was not stored."""
    records: list[RunRecord] = []

    async def handler() -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(60)

    async with open_alone(stop_timeout=5) as alone:
        alone.scheduler.every("sync", "1h", handler)

        async def run() -> None:
            records.append(await alone.scheduler.run_now("sync"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await anyio.sleep(1)
            await alone.scheduler.stop()

        assert [Status.INTERRUPTED] == [record.status for record in records]
        assert [] == await alone.history()


async def test_a_run_by_hand_may_time_out() -> None:
    """Its job's timeout holds."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1h", slow, timeout=5)
        record = await alone.scheduler.run_now("sync")

        assert "timed out after 5 s" == record.error
        assert 5.0 == record.duration


async def test_a_handler_may_run_another_job_by_hand() -> None:
    """Jobs can be chained; stopping the first stops the second."""
    async with open_alone() as alone:

        async def first() -> None:
            await alone.scheduler.run_now("second")

        alone.scheduler.every("first", "1h", first)
        alone.scheduler.every("second", "1h", slow)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(alone.scheduler.run_now, "first")
            await alone.until_seen(Start, 2)
            await alone.scheduler.stop()

        assert [Status.INTERRUPTED] == await alone.statuses("first")
        assert [Status.INTERRUPTED] == await alone.statuses("second")
