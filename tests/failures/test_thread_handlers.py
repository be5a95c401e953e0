"""Handlers that are plain functions: they run in threads and can't be cancelled."""

import asyncio
import threading
import time
from collections.abc import Callable

import anyio
import anyio.to_thread
import pytest

from anarchon import RunContext, Scheduler, State
from anarchon.clock import SystemClock
from anarchon.events import Failure, Interrupted, Lost, Start, Success
from anarchon.jobs import Handler
from anarchon.model import Status
from tests.alone import Alone, open_alone

pytestmark = pytest.mark.anyio

SOON = 3.0


def until(condition: Callable[[], bool]) -> None:
    """Wait in a thread until a condition holds."""
    deadline = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.005)


async def in_thread(alone: Alone, handler: Callable[[RunContext], object]) -> None:
    """Add a job that is due now and again, and wait until its first thread works."""
    working = threading.Event()

    def tell(ctx: RunContext) -> object:
        working.set()
        return handler(ctx)

    alone.scheduler.every("sync", "100ms", tell)
    with anyio.fail_after(SOON):
        while not working.is_set():
            await anyio.sleep(0.005)


def told(alone: Alone) -> list[str]:
    """Return the names of the events, but for slots that were due meanwhile."""
    return [name for name in alone.names() if name != "skip"]


async def test_a_plain_function_runs_in_a_thread() -> None:
    """The loop goes on meanwhile, and the record is like any other."""
    threads: list[int] = []

    def handler(ctx: RunContext) -> None:
        threads.append(threading.get_ident())
        time.sleep(0.1)

    async with open_alone(clock=SystemClock()) as alone:
        alone.scheduler.every("sync", "1d", handler)
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                await anyio.sleep(0.01)
                turns += 1

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(count)
            record = await alone.scheduler.run_now("sync")
            tasks.cancel_scope.cancel()

    assert Status.SUCCESS == record.status
    assert threading.get_ident() not in threads
    assert turns >= 3


async def test_one_that_returns_after_a_stop_has_succeeded() -> None:
    """It did its work; nobody needs to do it again."""

    def handler(ctx: RunContext) -> None:
        until(lambda: ctx.stopping)

    async with open_alone(clock=SystemClock()) as alone:
        await in_thread(alone, handler)
        await alone.scheduler.stop()

        assert ["start", "success"] == told(alone)
        assert [Status.SUCCESS] == await alone.statuses()


async def test_one_that_asks_is_interrupted_by_a_stop() -> None:
    """``check_cancelled`` raises in the thread; the run is handed over."""
    reasons: list[object] = []

    def handler(ctx: RunContext) -> None:
        try:
            while True:
                ctx.check_cancelled()
                time.sleep(0.005)
        finally:
            reasons.append(ctx.cancel_reason)

    async with open_alone(clock=SystemClock()) as alone:
        await in_thread(alone, handler)
        await alone.scheduler.stop()

        assert ["stop"] == reasons
        assert [True] == [record.handed_over for record in await alone.history()]


async def test_one_that_asks_ends_at_its_timeout() -> None:
    """The timeout is noticed where the handler asks."""

    def handler(ctx: RunContext) -> None:
        while True:
            ctx.check_cancelled()
            time.sleep(0.005)

    async with open_alone(clock=SystemClock()) as alone:
        alone.scheduler.every("sync", "1d", handler, timeout="50ms")
        record = await alone.scheduler.run_now("sync")

        assert "timed out after 0.05 s" == record.error
        assert record.duration is not None
        assert record.duration < 1


async def test_one_that_raises_has_failed() -> None:
    """Whatever it raises, even what asyncio's futures refuse."""
    errors = [ValueError("odd"), StopIteration("odd"), asyncio.CancelledError("odd")]

    def handler() -> None:
        raise errors.pop()

    async with open_alone(clock=SystemClock()) as alone:
        alone.scheduler.every("sync", "1d", handler)
        for _ in range(3):
            record = await alone.scheduler.run_now("sync")
            assert Status.FAILED == record.status

        assert [] == errors
        assert State.RUNNING == alone.scheduler.state


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
async def test_one_that_raises_what_ends_everything(error: BaseException) -> None:
    """Out of a thread too it ends the scheduler, and comes out bare."""

    def handler() -> None:
        raise error

    raised: BaseException | None = None
    opened: list[Alone] = []
    try:
        async with open_alone(clock=SystemClock()) as alone:
            opened.append(alone)
            alone.scheduler.every("sync", "100ms", handler)
            await anyio.sleep(SOON)
    except BaseException as caught:  # noqa: BLE001  whatever it is
        raised = caught

    assert error is raised
    assert [True] == [record.handed_over for record in await opened[0].history()]


async def later() -> None:
    """Be awaited by nobody."""


@pytest.mark.parametrize("handler", [lambda: later(), lambda ctx: later()])  # noqa: PLW0108
async def test_one_that_returns_an_awaitable_has_failed(handler: Handler) -> None:
    """Nobody would await it, so nothing was done; the error says what to do."""
    async with open_alone(clock=SystemClock()) as alone:
        alone.scheduler.every("sync", "1d", handler)
        record = await alone.scheduler.run_now("sync")

        assert Status.FAILED == record.status
        assert "declare it with async def" in (record.error or "")


async def test_one_that_goes_on_past_the_stop_is_left_to_its_lease() -> None:
    """Stop returns in time, the block waits for the thread."""
    ended: list[float] = []
    release = threading.Event()

    def handler(_: RunContext) -> None:
        release.wait(SOON)
        ended.append(time.monotonic())

    async with open_alone(clock=SystemClock(), stop_timeout=0.1) as alone:
        await in_thread(alone, handler)
        began = time.monotonic()
        await alone.scheduler.stop()
        took = time.monotonic() - began
        unfinished = await alone.statuses()
        threading.Timer(0.1, release.set).start()

    assert 0.1 <= took < 1
    assert [Status.RUNNING] == unfinished
    assert 1 == len(ended)
    assert time.monotonic() >= ended[0]
    assert ["start", "interrupted"] == told(alone)
    assert not alone.seen(Interrupted)[0].handed_over


async def test_one_that_goes_on_past_its_timeout_is_finished_without_it() -> None:
    """The run has failed; the job isn't claimed here until the thread has ended."""
    release = threading.Event()
    calls: list[float] = []

    def handler() -> None:
        calls.append(time.monotonic())
        if len(calls) == 1:
            release.wait(SOON)

    async with open_alone(clock=SystemClock(), stop_timeout=0.1) as alone:
        alone.scheduler.every("sync", "100ms", handler, timeout=0.1)
        failure = await alone.until_seen(Failure, within=SOON)
        await anyio.sleep(0.25)
        one = len(calls)
        release.set()
        await alone.until_seen(Success, within=SOON)

    assert "timed out after 0.1 s, and still goes on" == failure.record.error
    assert 1 == one


async def test_one_that_lost_its_run_learns_of_it() -> None:
    """The reason is seen in the thread; what it returns is no success."""
    reasons: list[object] = []

    def handler(ctx: RunContext) -> None:
        until(lambda: ctx.stopping)
        reasons.append(ctx.cancel_reason)

    async with open_alone(
        clock=SystemClock(), lease=0.6, heartbeat=0.1, stop_timeout=1
    ) as alone:
        await in_thread(alone, handler)
        slot = alone.seen(Start)[0].slot
        alone.scheduler.remove("sync")
        await alone.store.release("sync", slot, alone.token(slot))
        await alone.rival_wins(slot, attempt=2)
        await alone.until_seen(Interrupted, within=SOON)

        assert ["lost"] == reasons
        assert ["refused"] == [lost.cause for lost in alone.seen(Lost)]
        assert [] == alone.seen(Success)


async def test_many_of_them_leave_the_hosts_threads_alone() -> None:
    """They have threads of their own: the host's are not used up."""
    release = threading.Event()

    async with open_alone(clock=SystemClock()) as alone:
        await fill(alone.scheduler, lambda: release.wait(SOON), 45)
        await alone.until_seen(Start, 45, within=SOON)
        with anyio.fail_after(SOON):
            await anyio.to_thread.run_sync(release.set)
        await alone.until_seen(Success, 45, within=SOON)


async def fill(scheduler: Scheduler, handler: Callable[[], object], count: int) -> None:
    """Add so many jobs that are due in a moment."""
    for number in range(count):
        scheduler.every(f"job {number}", "100ms", handler, timeout=None)


async def test_no_thread_outlives_the_block() -> None:
    """Threads that wait for work don't count: they belong to the loop."""
    working: list[int] = []

    def handler(ctx: RunContext) -> None:
        working.append(1)
        until(lambda: ctx.stopping)
        working.pop()

    async with open_alone(clock=SystemClock()) as alone:
        await in_thread(alone, handler)

    assert [] == working
