"""Native cancellations of asyncio, which no scope has sent: each stays in its run."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Unpack

import anyio
import pytest

from anarchon.events import Failure, Interrupted, Start, Success
from anarchon.model import Status
from anarchon.testing.virtual import virtual_loop
from tests.alone import Alone, AloneOptions, open_alone

pytestmark = pytest.mark.anyio

Handler = Callable[[], Awaitable[None]]


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    """Only asyncio has them."""
    return virtual_loop("asyncio")


def cancel_own_task() -> None:
    """Cancel the task that calls this."""
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


async def await_a_cancelled_future() -> None:
    """Meet a cancellation that was meant for somebody else."""
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    await future


async def awaits_a_cancelled_future() -> None:
    """End with somebody else's cancellation."""
    await await_a_cancelled_future()


async def cancels_its_own_task() -> None:
    """End with a cancellation of its own."""
    cancel_own_task()
    await anyio.sleep(1)


async def cancels_its_own_task_and_returns() -> None:
    """Leave a cancellation behind that meets whoever awaits next."""
    cancel_own_task()


async def cancels_its_own_task_and_raises() -> None:
    """Leave one behind, and end with another that didn't wait for it."""
    cancel_own_task()
    raise asyncio.CancelledError


async def is_cancelled_from_outside() -> None:
    """Be cancelled by code that got hold of the task."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().call_later(1, task.cancel)
    await anyio.sleep(5)


async def is_cancelled_in_a_nursery() -> None:
    """Be cancelled while waiting for tasks of its own."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.sleep, 5)
        await is_cancelled_from_outside()


STRAY = [
    awaits_a_cancelled_future,
    cancels_its_own_task,
    cancels_its_own_task_and_returns,
    cancels_its_own_task_and_raises,
    is_cancelled_from_outside,
    is_cancelled_in_a_nursery,
]


@pytest.mark.parametrize("handler", STRAY)
@pytest.mark.parametrize("leases", [True, False])
async def test_a_stray_cancellation_fails_its_run_and_nothing_else(
    handler: Handler, leases: bool
) -> None:
    """Unhandled it would end the scheduler in silence; the next slot runs too."""
    async with open_alone(leases=leases) as alone:
        alone.scheduler.every("sync", "1m", handler)
        failure = await alone.until_seen(Failure, 2, within=130)

        assert "nobody had asked for it" in (failure.record.error or "")
        assert ["start", "failure"] * 2 == alone.names()
        assert [Status.FAILED] * 2 == await alone.statuses()


@pytest.mark.parametrize("stray", [await_a_cancelled_future, cancels_its_own_task])
async def test_a_stray_cancellation_in_clean_up_is_handed_over(stray: Handler) -> None:
    """A run that was stopped is interrupted, whatever its clean-up runs into."""

    async def handler() -> None:
        try:
            await anyio.sleep(40)
        finally:
            await stray()

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        await alone.scheduler.stop()

        [interrupted] = alone.seen(Interrupted)
        assert interrupted.handed_over
        assert [Status.INTERRUPTED] == await alone.statuses()


@pytest.mark.parametrize("stray", [await_a_cancelled_future, cancels_its_own_task])
async def test_a_stray_cancellation_after_a_timeout_is_a_timeout(
    stray: Handler,
) -> None:
    """The first cause stays, and the scheduler goes on."""

    async def handler() -> None:
        try:
            await anyio.sleep(40)
        finally:
            await stray()

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler, timeout=10)
        failure = await alone.until_seen(Failure, 2, within=150)

        assert "timed out after 10 s" == failure.record.error


async def test_a_cancellation_that_an_error_leaves_behind_is_forgotten() -> None:
    """The run fails by its error; what it left behind strikes nobody."""

    async def handler() -> None:
        cancel_own_task()
        raise ValueError("broken")

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        failure = await alone.until_seen(Failure, 2, within=130)

        assert "ValueError: broken" == failure.record.error
        assert ["start", "failure"] * 2 == alone.names()


async def test_other_runs_outlive_a_stray_cancellation() -> None:
    """A cancellation in one handler doesn't touch the handlers beside it."""

    async def long() -> None:
        await anyio.sleep(20)

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", cancels_its_own_task)
        alone.scheduler.every("long", "1m", long)
        await alone.until_seen(Success)

        assert [Status.SUCCESS] == await alone.statuses("long")


@pytest.mark.parametrize("handler", STRAY)
async def test_a_manual_run_tells_of_a_stray_cancellation(handler: Handler) -> None:
    """Whoever asked for the run gets a record, and is not cancelled in its place."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1h", handler)
        record = await alone.scheduler.run_now("sync")

        assert Status.FAILED == record.status
        assert [Status.FAILED] == await alone.statuses()


async def hosted(
    opened: list[Alone], *, busy: float = 0, **options: Unpack[AloneOptions]
) -> None:
    """Be a host with a run in progress; take so long to leave."""
    async with open_alone(**options) as alone:
        opened.append(alone)

        async def handler() -> None:
            try:
                await anyio.sleep(40)
            finally:
                with anyio.CancelScope(shield=True):
                    await anyio.sleep(busy)

        alone.scheduler.every("sync", "1m", handler)
        await anyio.sleep_forever()


@pytest.mark.parametrize("times", [1, 2])
async def test_a_host_that_is_cancelled_natively_hands_over(times: int) -> None:
    """``Task.cancel`` stops the scheduler like any cancellation, also when repeated."""
    opened: list[Alone] = []
    host = asyncio.create_task(hosted(opened, busy=5))
    await anyio.sleep(70)
    for _ in range(times):
        host.cancel()
        await anyio.sleep(1)
    with pytest.raises(asyncio.CancelledError):
        await host

    assert 75 == anyio.current_time()
    assert times == host.cancelling()
    assert ["start", "interrupted"] == opened[0].names()
    assert [True] == [record.handed_over for record in await opened[0].history()]


async def test_the_end_of_all_tasks_of_the_loop_is_a_stop() -> None:
    """As asyncio cancels them at its end: timers, heartbeats, the life, the host."""
    opened: list[Alone] = []
    before = asyncio.all_tasks()
    host = asyncio.create_task(hosted(opened))
    await anyio.sleep(70)
    for task in asyncio.all_tasks() - before:
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await host

    assert ["start", "interrupted"] == opened[0].names()
    assert [True] == [record.handed_over for record in await opened[0].history()]


async def test_the_end_of_all_tasks_of_the_loop_ends_no_heartbeat() -> None:
    """A handler that takes longer than a lease to wind down still has its run."""
    opened: list[Alone] = []
    before = asyncio.all_tasks()
    host = asyncio.create_task(hosted(opened, busy=20, lease=9, heartbeat=3))
    await anyio.sleep(70)
    for task in asyncio.all_tasks() - before:
        task.cancel()
    await anyio.sleep(15)
    [run] = (await opened[0].store.unfinished(["sync"])).runs
    assert run.left > 0
    with pytest.raises(asyncio.CancelledError):
        await host

    assert [True] == [record.handed_over for record in await opened[0].history()]


async def test_asyncios_own_timeout_round_the_block_works() -> None:
    """It counts cancellations, so none of ours may be left over or swallowed."""
    opened: list[Alone] = []
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(70):
            await hosted(opened)

    task = asyncio.current_task()
    assert task is not None
    assert 0 == task.cancelling()
    assert [True] == [record.handed_over for record in await opened[0].history()]


async def test_asyncios_own_timeout_inside_a_handler_works() -> None:
    """A handler may use asyncio's tools, also while it is being stopped."""

    async def handler() -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(5):
                await asyncio.sleep(30)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(asyncio.sleep(30))

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        await anyio.sleep(10)
        await alone.scheduler.stop()

        assert [True] == [record.handed_over for record in await alone.history()]
