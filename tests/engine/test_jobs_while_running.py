"""Jobs that come and go while the scheduler runs."""

import anyio
import pytest

from anarchon import DuplicateJob, RunContext, UnknownJob
from anarchon.events import Error, RunEvent, Skip, Start, Success
from anarchon.testing.faults import (
    FAIL_AFTER,
    FAIL_BEFORE,
    HANG_BEFORE,
    Fault,
)
from tests.alone import Alone, open_alone
from tests.engine.scenes import slot_at

pytestmark = pytest.mark.anyio


async def nothing() -> None:
    """Do the job's work."""


def of(alone: Alone, kind: type[RunEvent], job: str) -> int:
    """Count the events of a kind and a job."""
    return sum(event.job == job for event in alone.seen(kind))


async def test_jobs_added_in_one_turn_are_taken_on_in_one_call() -> None:
    """However many they are: one preparation, one reading."""
    async with open_alone() as alone:
        before = alone.faults.calls.copy()
        for number in range(50):
            alone.scheduler.every(f"job {number}", "1m", nothing)
        await anyio.sleep(1)
        sent = alone.faults.calls - before

        assert {"prepare": 1, "unfinished": 1} == sent
        await alone.until_seen(Success, 50)


async def test_jobs_that_are_added_meanwhile_are_taken_on_at_once() -> None:
    """What is added while others are being taken on waits for no back-off."""
    async with open_alone() as alone:
        alone.faults.always(Fault(reply_delay=1), "prepare")
        alone.scheduler.every("first", "1m", nothing)
        await anyio.sleep(0.5)
        before = alone.faults.calls.copy()
        for number in range(50):
            alone.scheduler.every(f"job {number}", "1m", nothing)
        await anyio.sleep(1.501)
        sent = alone.faults.calls - before

        assert {"prepare": 1, "unfinished": 2} == sent


async def test_the_sweep_leaves_a_job_alone_that_is_still_to_be_taken_on() -> None:
    """What was left of it is found when it is taken on, and by nobody before."""
    async with open_alone(catch_up=300) as alone:
        await alone.rival_wins(slot_at(0), lease=1)
        await anyio.sleep(29)
        alone.faults.script("prepare", Fault(reply_delay=4))
        alone.faults.script("claim", Fault(reply_delay=4.9))
        alone.scheduler.every("sync", "10m", nothing)
        start = await alone.until_seen(Start)

        assert (2, "takeover") == (start.attempt, start.reason)


async def test_an_added_job_is_caught_up_and_recovered() -> None:
    """As at start: its latest slot, or the run that somebody left."""
    async with open_alone(catch_up=300) as alone:
        await anyio.sleep(90)
        alone.scheduler.every("sync", "1m", nothing)
        success = await alone.until_seen(Success, within=1)

        assert "catch-up" == success.record.reason
        slot = await alone.until_due("sync")
        await anyio.sleep(0.001)
        await alone.rival_wins(slot, lease=5)
        alone.scheduler.remove("sync")
        await anyio.sleep(10)
        alone.scheduler.every("sync", "1m", nothing)
        success = await alone.until_seen(Success, 2, within=20)

        assert (slot, 2, "takeover") == (
            success.slot,
            success.attempt,
            success.record.reason,
        )


@pytest.mark.parametrize("others", [0, 1])
async def test_an_added_job_is_swept_once_per_its_lease(others: int) -> None:
    """A run that nobody watches is found soon, whatever jobs were there before."""
    async with open_alone() as alone:
        for number in range(others):
            alone.scheduler.every(f"other {number}", "1d", nothing)
        await anyio.sleep(5)
        alone.scheduler.every("sync", "1d", nothing, lease=3, heartbeat=1)
        await anyio.sleep(1)
        slot = round(alone.clock.time() * 1000)
        await alone.rival_wins(slot, lease=1)
        success = await alone.until_seen(Success, within=6)

        assert (slot, 2) == (success.slot, success.attempt)


@pytest.mark.parametrize("fault", [FAIL_BEFORE, FAIL_AFTER, HANG_BEFORE])
@pytest.mark.parametrize("operation", ["prepare", "unfinished"])
async def test_a_job_that_can_not_be_taken_on_is_tried_again(
    operation: str, fault: Fault
) -> None:
    """Each failure is an error event, no other job's timer is held."""
    async with open_alone() as alone:
        alone.scheduler.every("old", "1s", nothing)
        await alone.until_seen(Success)
        alone.faults.always(fault, operation)
        alone.scheduler.every("new", "1s", nothing)
        done = of(alone, Success, "old")
        await anyio.sleep(20)

        assert done + 19 <= of(alone, Success, "old")
        assert 0 == of(alone, Success, "new")
        assert {operation} == {error.operation for error in alone.seen(Error)}
        assert 2 < len(alone.seen(Error)) < 40
        alone.faults.clear()
        await alone.until(lambda: of(alone, Success, "new") > 0, within=12)


async def test_a_job_added_while_starting_runs() -> None:
    """Whenever it is added, it is taken on."""
    async with open_alone(start=False) as alone:
        alone.faults.always(Fault(reply_delay=1), "time", "unfinished")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(alone.scheduler.start)
            for number in range(5):
                await anyio.sleep(0.4)
                alone.scheduler.every(f"job {number}", "1m", nothing)
        await alone.until_seen(Success, 5)

        assert 5 == len({event.job for event in alone.seen(Success)})


async def test_a_job_may_come_back_with_another_schedule_and_handler() -> None:
    """What was removed leaves nothing behind that could run."""
    ran: list[str] = []

    async def first() -> None:
        ran.append("first")

    async def second(ctx: RunContext) -> None:
        ran.append(f"second {ctx.slot % 60_000}")

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", first)
        await alone.until_seen(Success)
        alone.scheduler.remove("sync")
        alone.scheduler.every("sync", "1m", second, offset=10)
        await alone.until_seen(Success, 3, within=150)

    assert ["first", "second 10000", "second 10000"] == ran


async def test_a_job_that_came_back_does_not_overlap_its_old_run() -> None:
    """The store knows the old run by the job's name."""

    async def long() -> None:
        await anyio.sleep(90)

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", long)
        await alone.until_seen(Start)
        alone.scheduler.remove("sync")
        alone.scheduler.every("sync", "1m", nothing)
        await alone.until_seen(Success, 2, within=150)

        assert ["start", "skip", "success", "start", "success"] == alone.names()
        assert ["overlap"] == [skip.reason for skip in alone.seen(Skip)]


async def test_names_are_unique_and_known() -> None:
    """A name can be used once at a time; an unknown one is an error or a ``False``."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", nothing)
        with pytest.raises(DuplicateJob, match="'sync' already"):
            alone.scheduler.cron("sync", "* * * * *", nothing)
        with pytest.raises(UnknownJob, match="'digest' is registered"):
            alone.scheduler.next_slot("digest")

        assert [True, False] == [alone.scheduler.remove("sync") for _ in range(2)]
        assert () == alone.scheduler.jobs


async def test_a_job_shows_the_options_that_it_has_here() -> None:
    """The scheduler's options are the defaults of its jobs."""
    async with open_alone(lease=60, max_attempts=5) as alone:
        alone.scheduler.every("sync", "1m", nothing, lease="2m", keep=7)

        [job] = alone.scheduler.jobs
        options = job.options
        assert (120.0, 5, 7) == (options.lease, options.max_attempts, options.keep)


async def test_a_callback_may_add_and_remove_jobs() -> None:
    """Registering is synchronous and allowed from anywhere in the loop."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", nothing)

        def replace(_: object) -> None:
            if alone.scheduler.remove("sync"):
                alone.scheduler.every("next", "1m", nothing)

        alone.scheduler.on("success", replace)
        await alone.until(lambda: of(alone, Success, "next") == 2, within=190)

        assert 1 == of(alone, Success, "sync")
