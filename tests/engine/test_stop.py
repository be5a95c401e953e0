"""Stopping: bounded, whoever asks for it, and nothing is sent afterwards."""

import anyio
import pytest

from anarchon import SchedulerNotRunning
from anarchon.events import Interrupted, Start, Success
from anarchon.model import State, Status
from anarchon.testing.faults import (
    FAIL_BEFORE,
    HANG_AFTER,
    HANG_BEFORE,
    Fault,
)
from tests.alone import open_alone

pytestmark = pytest.mark.anyio


STOP_TIMEOUT = 20.0


async def nothing() -> None:
    """Do the job's work."""


async def forever() -> None:
    """Work until cancelled."""
    await anyio.sleep_forever()


@pytest.mark.parametrize("way", [FAIL_BEFORE, HANG_BEFORE, HANG_AFTER])
async def test_stopping_without_the_store_is_bounded(way: Fault) -> None:
    """A store that is gone costs the stop timeout and five seconds at most."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        for name in ("one", "two", "three"):
            alone.scheduler.every(name, "1m", forever)
        await alone.until_seen(Start, 3)
        alone.faults.always(way)
        began = anyio.current_time()
        await alone.scheduler.stop()

        assert anyio.current_time() - began <= STOP_TIMEOUT + 5
        assert State.IDLE == alone.scheduler.state
        assert () == alone.scheduler.running()
        assert 3 == len(alone.seen(Interrupted))


async def test_a_slot_that_is_due_with_the_stop_is_not_asked_for() -> None:
    """Once stop was called no claim is sent, not even one that was about to be."""
    async with open_alone(start=False) as alone:
        alone.scheduler.every("sync", "1s", nothing)
        for _ in range(20):
            await alone.scheduler.start()
            slot = alone.scheduler.next_slot("sync")
            await anyio.sleep(slot / 1000 - alone.clock.time())
            sent = alone.faults.calls["claim"]
            await alone.scheduler.stop()
            assert sent == alone.faults.calls["claim"]


async def test_a_longer_timeout_of_stop_counts() -> None:
    """What stop is given replaces the scheduler's own stop timeout."""

    async def handler() -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(60)

    async with open_alone(stop_timeout=5) as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        began = anyio.current_time()
        await alone.scheduler.stop(timeout="2m")

        assert 60 == anyio.current_time() - began
        assert [Status.SUCCESS] == await alone.statuses()


async def test_a_stop_without_time_leaves_runs_to_their_lease() -> None:
    """With a timeout of zero nothing is waited for, and nothing is sent."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", forever)
        await alone.until_seen(Start)
        sent = alone.faults.calls.total()
        began = anyio.current_time()
        await alone.scheduler.stop(timeout=0)

        assert began == anyio.current_time()
        assert sent == alone.faults.calls.total()
        assert [False] == [end.handed_over for end in alone.seen(Interrupted)]


async def test_a_second_stop_can_only_shorten_the_first() -> None:
    """Whoever is in more of a hurry is obeyed, also by those who wait already."""

    async def handler() -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(60)

    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        began = anyio.current_time()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(alone.scheduler.stop, 40)
            tasks.start_soon(alone.scheduler.stop, 50)
            await anyio.sleep(2)
            await alone.scheduler.stop(timeout=3)

        assert 5 == anyio.current_time() - began


async def test_nothing_is_sent_after_a_stop() -> None:
    """No claim, heartbeat, check or sweep outlives it, and no timer fires."""
    async with open_alone(stop_timeout=STOP_TIMEOUT, lease=15, heartbeat=5) as alone:
        alone.scheduler.every("sync", "1m", forever)
        alone.scheduler.every("beat", "1s", nothing)
        slot = alone.scheduler.next_slot("sync")
        await anyio.sleep(slot / 1000 - alone.clock.time() - 0.001)
        await anyio.sleep(0.001)
        await alone.until_seen(Start)
        await alone.scheduler.stop()
        sent, told = alone.faults.calls.total(), len(alone.names())
        await anyio.sleep(600)

        assert sent == alone.faults.calls.total()
        assert told == len(alone.names())


async def test_a_handler_may_stop_the_scheduler() -> None:
    """It only stops waiting, since the stop cancels it; the run is handed over."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:

        async def handler() -> None:
            await alone.scheduler.stop()

        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Interrupted)

        assert [True] == [end.handed_over for end in alone.seen(Interrupted)]
        with anyio.fail_after(1):
            await alone.scheduler.stop()
        assert State.IDLE == alone.scheduler.state


async def test_a_cancelled_caller_of_stop_only_stops_waiting() -> None:
    """The stop itself is carried out by a task of the scheduler."""

    async def handler() -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(10)

    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        with anyio.move_on_after(1) as scope:
            await alone.scheduler.stop()
        states = [alone.scheduler.state]
        await alone.until_seen(Success)
        await anyio.sleep(1)
        states.append(alone.scheduler.state)

        assert scope.cancelled_caught
        assert [State.STOPPING, State.IDLE] == states


async def test_stopping_twice_or_while_idle_does_nothing() -> None:
    """A stop that has nothing to do returns at once."""
    async with open_alone(start=False) as alone:
        await alone.scheduler.stop()
        await alone.scheduler.start()
        await alone.scheduler.stop()
        await alone.scheduler.stop()

        assert 0 == anyio.current_time()
        assert State.IDLE == alone.scheduler.state


async def test_a_slot_that_is_due_while_stopping_is_not_claimed() -> None:
    """Once stop was called no new run starts."""

    async def handler() -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(15)

    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", handler)
        alone.scheduler.every("often", "1s", nothing)
        await alone.until(lambda: any(e.job == "sync" for e in alone.seen(Start)))
        claims = alone.faults.calls["claim"]
        await alone.scheduler.stop()

        assert claims == alone.faults.calls["claim"]


async def test_run_now_is_refused_while_stopping() -> None:
    """A scheduler that stops starts nothing, not even by hand."""

    async def handler() -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(10)

    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(alone.scheduler.stop)
            await anyio.sleep(1)
            with pytest.raises(SchedulerNotRunning):
                await alone.scheduler.run_now("sync")
