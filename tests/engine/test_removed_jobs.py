"""Jobs that are removed while the scheduler runs: nothing of them begins any more."""

import anyio
import pytest

from anarchon.events import Interrupted, RunEvent, Skip, Start
from anarchon.model import Status
from anarchon.testing.faults import (
    FAIL_AFTER,
    FAIL_BEFORE,
    HANG_AFTER,
    Fault,
)
from tests.alone import open_alone

pytestmark = pytest.mark.anyio


async def nothing() -> None:
    """Do the job's work."""


async def test_a_job_removed_before_it_was_taken_on_never_runs() -> None:
    """The removal counts, also while the store is away."""
    async with open_alone(catch_up=300) as alone:
        await anyio.sleep(30)
        alone.faults.always(FAIL_BEFORE, "prepare")
        alone.scheduler.every("sync", "1m", nothing)
        await anyio.sleep(10)
        alone.scheduler.remove("sync")
        alone.faults.clear()
        await anyio.sleep(200)

        assert [] == alone.seen(RunEvent)
        assert 0 == alone.faults.calls["claim"]


async def test_a_job_removed_while_it_is_taken_on_never_runs() -> None:
    """The answers come after the removal: nothing is armed or caught up."""
    async with open_alone(catch_up=300) as alone:
        await anyio.sleep(30)
        alone.faults.always(Fault(reply_delay=1), "prepare", "unfinished")
        alone.scheduler.every("sync", "1m", nothing)
        await anyio.sleep(1.5)
        alone.scheduler.remove("sync")
        await anyio.sleep(200)

        assert [] == alone.seen(RunEvent)
        assert 0 == alone.faults.calls["claim"]


async def test_a_job_removed_while_starting_never_runs() -> None:
    """The same holds for the jobs that were there at start."""
    async with open_alone(catch_up=300, start=False) as alone:
        alone.scheduler.every("sync", "1m", nothing)
        alone.faults.always(Fault(reply_delay=1), "unfinished")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(alone.scheduler.start)
            await anyio.sleep(0.5)
            alone.scheduler.remove("sync")
        await anyio.sleep(200)

        assert [] == alone.seen(RunEvent)
        assert 0 == alone.faults.calls["claim"]


async def test_a_run_in_progress_outlives_its_job() -> None:
    """Removing a job lets its run finish here, and schedules no other."""

    async def handler() -> None:
        await anyio.sleep(30)

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        assert alone.scheduler.remove("sync")
        await anyio.sleep(300)

        assert ["start", "success"] == alone.names()
        assert [Status.SUCCESS] == await alone.statuses()


async def test_a_removed_job_is_not_claimed_while_it_waits_for_its_jitter() -> None:
    """A catch-up that has not asked yet doesn't ask any more."""
    async with open_alone(catch_up=300, jitter=20) as alone:
        await anyio.sleep(30)
        alone.scheduler.every("sync", "1m", nothing)
        await anyio.sleep(0.01)
        alone.scheduler.remove("sync")
        await anyio.sleep(200)

        assert 0 == alone.faults.calls["claim"]


async def test_a_claim_won_after_the_removal_is_handed_over() -> None:
    """The job is not this instance's any more: it doesn't start, others can have it."""
    async with open_alone() as alone:
        alone.faults.always(Fault(reply_delay=2), "claim")
        alone.scheduler.every("sync", "1m", nothing)
        await alone.until_due("sync")
        await anyio.sleep(1)
        alone.scheduler.remove("sync")
        await alone.until_seen(Interrupted)

        assert [] == alone.seen(Start)
        assert [True] == [record.handed_over for record in await alone.history()]


async def test_a_claim_that_is_still_unanswered_is_let_go_after_the_removal() -> None:
    """When the store is back nothing of the removed job begins."""
    async with open_alone() as alone:
        alone.faults.always(FAIL_AFTER, "claim")
        alone.scheduler.every("sync", "1m", nothing)
        await alone.until_due("sync")
        await anyio.sleep(5)
        alone.scheduler.remove("sync")
        alone.faults.clear()
        await anyio.sleep(60)

        assert [] == alone.seen(Start)
        assert [True] == [record.handed_over for record in await alone.history()]


async def test_a_removed_job_is_watched_no_more() -> None:
    """An instance takes over no run of a job that it doesn't have."""
    async with open_alone(lease=15, heartbeat=5) as alone:
        alone.scheduler.every("sync", "10m", nothing)
        alone.scheduler.every("other", "10m", nothing)
        slot = await alone.until_due("sync")
        await anyio.sleep(0.001)
        await alone.rival_wins(slot, lease=15)
        await alone.until_seen(Skip)
        alone.scheduler.remove("sync")
        asked = alone.faults.calls["claim"]
        await anyio.sleep(300)

        assert asked == alone.faults.calls["claim"]
        assert [Status.RUNNING] == await alone.statuses()


async def test_an_answer_after_the_removal_makes_no_backup() -> None:
    """A claim that was under way ends in a skip, and in no watch."""
    async with open_alone(lease=15, heartbeat=5) as alone:
        alone.faults.always(Fault(reply_delay=1), "claim")
        alone.scheduler.every("sync", "10m", nothing)
        slot = await alone.until_due("sync")
        await anyio.sleep(0.001)
        await alone.rival_wins(slot, lease=15)
        await anyio.sleep(0.5)
        alone.scheduler.remove("sync")
        await anyio.sleep(300)

        assert 1 == alone.faults.calls["claim"]
        assert [Status.RUNNING] == await alone.statuses()


async def test_a_check_without_an_answer_is_let_go_after_the_removal() -> None:
    """It may have won: what the store granted doesn't wait for its lease to end."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "10m", nothing)
        slot = await alone.until_due("sync")
        await anyio.sleep(0.001)
        await alone.rival_wins(slot, lease=10)
        await alone.until_seen(Skip)
        await anyio.sleep(slot / 1000 + 10 - alone.clock.time())
        alone.faults.always(HANG_AFTER, "claim")
        await anyio.sleep(2)
        assert 2 == len(await alone.history()), "the check is under way"
        alone.scheduler.remove("sync")
        await anyio.sleep(10)

        [second, _] = await alone.history()
        assert (2, True) == (second.attempt, second.handed_over)
