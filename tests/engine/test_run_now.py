"""Runs by hand: of their own, neither blocked nor blocking, one record each."""

import anyio
import pytest

from anarchon import RunContext, SchedulerNotRunning, UnknownJob
from anarchon.events import Error, Failure, Skip, Start, Success
from anarchon.model import Reason, RunRecord, Status
from anarchon.testing.faults import FAIL_AFTER, FAIL_BEFORE
from tests.alone import open_alone

pytestmark = pytest.mark.anyio


async def nothing() -> None:
    """Do the job's work."""


async def slow() -> None:
    """Take a while."""
    await anyio.sleep(20)


@pytest.mark.parametrize("leases", [True, False])
async def test_a_run_by_hand_returns_its_record(leases: bool) -> None:
    """What is returned is what history holds and what the events told."""
    contexts: list[RunContext] = []

    async def handler(ctx: RunContext) -> None:
        contexts.append(ctx)
        await anyio.sleep(2)

    async with open_alone(leases=leases) as alone:
        await anyio.sleep(5)
        alone.scheduler.every("sync", "1h", handler)
        now = round(alone.clock.time() * 1000)
        record = await alone.scheduler.run_now("sync")

        assert (Status.SUCCESS, Reason.MANUAL, True) == (
            record.status,
            record.reason,
            record.manual,
        )
        assert (now, 1, 2.0) == (record.slot, record.attempt, record.duration)
        assert [record] == await alone.history()
        assert ["start", "success"] == alone.names()
        assert record == alone.seen(Success)[0].record
        assert Reason.MANUAL == alone.seen(Start)[0].reason
        [ctx] = contexts
        assert (None, "manual", 1) == (ctx.fence, ctx.reason, ctx.attempt)


async def test_a_record_of_a_run_by_hand_is_the_same_in_the_store() -> None:
    """It begins and ends between two milliseconds, of which no store knows."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1h", slow)
        await anyio.sleep(0.00037)
        record = await alone.scheduler.run_now("sync")

        assert [record] == await alone.history()


async def test_a_run_by_hand_that_fails_returns_too() -> None:
    """The handler's error is in the record, not raised."""

    async def handler() -> None:
        raise ValueError("no customers")

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1h", handler)
        record = await alone.scheduler.run_now("sync")

        assert Status.FAILED == record.status
        assert "ValueError: no customers" == record.error
        assert record == alone.seen(Failure)[0].record


async def test_runs_by_hand_do_not_block_one_another() -> None:
    """Several at once are several runs, even within one millisecond."""
    records: list[RunRecord] = []
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1h", slow)

        async def run() -> None:
            records.append(await alone.scheduler.run_now("sync"))

        began = anyio.current_time()
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(run)

        assert 20 == anyio.current_time() - began
        assert [Status.SUCCESS] * 5 == [record.status for record in records]
        assert 5 == len(await alone.history())


async def test_a_run_by_hand_neither_blocks_nor_is_blocked() -> None:
    """It runs beside a scheduled run, and a scheduled one beside it."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", slow)
        await alone.until_seen(Start)
        beside = await alone.scheduler.run_now("sync")
        await anyio.sleep(35)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(alone.scheduler.run_now, "sync")
            await alone.until_seen(Success, 4)

        assert Status.SUCCESS == beside.status
        assert [] == alone.seen(Skip)
        manual = [record.manual for record in await alone.history()]
        assert (2, 2) == (manual.count(True), manual.count(False))


async def test_a_stuck_run_by_hand_blocks_nothing() -> None:
    """Even one that ignores its timeout leaves the schedule alone."""
    calls = 0

    async def handler() -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(200)

    async with open_alone(stop_timeout=5) as alone:
        alone.scheduler.every("sync", "1m", handler, timeout=10)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(alone.scheduler.run_now, "sync")
            await alone.until_seen(Success, 2, within=130)

        assert [] == alone.seen(Skip)
        assert [Status.FAILED, Status.SUCCESS] == (await alone.statuses())[:2]


async def test_a_run_by_hand_is_not_claimed_and_moves_no_slot() -> None:
    """The store hears of it once, at its end."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1h", slow)
        await anyio.sleep(1)
        before = alone.faults.calls.copy()
        await alone.scheduler.run_now("sync")
        sent = alone.faults.calls - before
        slot = alone.scheduler.next_slot("sync")

        assert {"record": 1} == sent
        await alone.until_seen(Success, 2, within=3700)
        assert slot == alone.seen(Success)[1].slot


async def test_the_record_of_a_run_by_hand_is_written_until_it_is_answered() -> None:
    """A short outage costs error events, not the record; and there is only one."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1h", nothing)
        alone.faults.script("record", FAIL_BEFORE, FAIL_AFTER, FAIL_AFTER)
        record = await alone.scheduler.run_now("sync")

        assert Status.SUCCESS == record.status
        assert [record] == await alone.history()
        assert ["record"] * 3 == [error.operation for error in alone.seen(Error)]


async def test_a_run_by_hand_returns_without_the_store() -> None:
    """A record that can't be written is given up in the end, and returned."""
    async with open_alone(stop_timeout=10) as alone:
        alone.scheduler.every("sync", "1h", nothing, lease=15)
        alone.faults.always(FAIL_BEFORE, "record")
        record = await alone.scheduler.run_now("sync")

        assert Status.SUCCESS == record.status
        assert 40 <= anyio.current_time() <= 46
        assert [] == await alone.history()


@pytest.mark.parametrize("started", [False, True])
async def test_a_run_by_hand_needs_a_job_and_a_started_scheduler(started: bool) -> None:
    """What is missing is named."""
    async with open_alone(start=started) as alone:
        alone.scheduler.every("sync", "1h", nothing)
        if started:
            with pytest.raises(UnknownJob, match="'digest'"):
                await alone.scheduler.run_now("digest")
            await alone.scheduler.stop()
        with pytest.raises(SchedulerNotRunning, match="run_now needs a started"):
            await alone.scheduler.run_now("sync")
