"""Stopping: what is won, asked or running just then is settled, within bounds."""

import anyio
import pytest

from anarchon import SchedulerNotRunning
from anarchon.events import Interrupted, Lost, Skip, Start, Success
from anarchon.model import State, Status
from anarchon.testing.faults import (
    FAIL_AFTER,
    FAIL_BEFORE,
    HANG_AFTER,
    HANG_BEFORE,
    Fault,
)
from tests.alone import Alone, open_alone

pytestmark = pytest.mark.anyio

STOP_TIMEOUT = 20.0
SLOW = Fault(reply_delay=3.0)


async def nothing() -> None:
    """Do the job's work."""


async def forever() -> None:
    """Work until cancelled."""
    await anyio.sleep_forever()


async def until_asked(alone: Alone, operation: str, times: int = 1) -> None:
    """Wait until a call was sent so many times."""
    with anyio.fail_after(120):
        while alone.faults.calls[operation] < times:
            await anyio.sleep(0.1)


async def test_a_run_that_is_won_while_stopping_is_handed_over() -> None:
    """The answer comes after stop: the handler isn't called, the run is free."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.faults.always(SLOW, "claim", "release")
        alone.scheduler.every("sync", "1m", nothing)
        await until_asked(alone, "claim")
        await alone.scheduler.stop()

        [interrupted] = alone.seen(Interrupted)
        [record] = await alone.history()
        assert [] == alone.seen(Start)
        assert interrupted.handed_over
        assert "stopped before it started" == interrupted.record.error
        assert (Status.INTERRUPTED, True) == (record.status, record.handed_over)


async def test_a_takeover_that_is_won_while_stopping_is_handed_over() -> None:
    """The same holds for a backup's check."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "10m", nothing)
        slot = alone.scheduler.next_slot("sync")
        await anyio.sleep(slot / 1000 - alone.clock.time())
        await alone.rival_wins(slot, lease=10)
        await until_asked(alone, "claim")
        alone.faults.always(SLOW, "claim", "release")
        await until_asked(alone, "claim", 3)
        await alone.scheduler.stop()

        assert [] == alone.seen(Start)
        assert [True] == [end.handed_over for end in alone.seen(Interrupted)]
        [second, _] = await alone.history()
        assert (2, True) == (second.attempt, second.handed_over)


@pytest.mark.parametrize("lost", [FAIL_AFTER, HANG_AFTER])
async def test_a_claim_that_won_unheard_is_released_at_stop(lost: Fault) -> None:
    """What the store granted is let go by its token, though nobody heard of it."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.faults.always(lost, "claim")
        alone.scheduler.every("sync", "1m", nothing)
        await until_asked(alone, "claim")
        await anyio.sleep(0.1)
        await alone.scheduler.stop()

        [record] = await alone.history()
        assert record.handed_over
        assert [] == alone.seen(Start)


@pytest.mark.parametrize("lost", [FAIL_AFTER, HANG_AFTER])
async def test_a_claim_that_won_unheard_ends_without_leases_too(lost: Fault) -> None:
    """On a claim-only store its record doesn't read running for ever."""
    async with open_alone(leases=False, stop_timeout=STOP_TIMEOUT) as alone:
        alone.faults.always(lost, "claim")
        alone.scheduler.every("sync", "1m", nothing)
        await until_asked(alone, "claim")
        await anyio.sleep(0.1)
        await alone.scheduler.stop()

        assert [Status.INTERRUPTED] == await alone.statuses()


@pytest.mark.parametrize("lost", [FAIL_AFTER, HANG_AFTER])
async def test_a_check_that_won_unheard_is_released_at_stop(lost: Fault) -> None:
    """A backup's claim without an answer is let go as well."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "10m", nothing)
        slot = alone.scheduler.next_slot("sync")
        await anyio.sleep(slot / 1000 - alone.clock.time())
        await alone.rival_wins(slot, lease=10)
        await alone.until_seen(Skip)
        await anyio.sleep(slot / 1000 + 10 - alone.clock.time())
        alone.faults.always(lost, "claim")
        await until_asked(alone, "claim", alone.faults.calls["claim"] + 1)
        await anyio.sleep(0.1)
        await alone.scheduler.stop()

        [second, _] = await alone.history()
        assert (2, True) == (second.attempt, second.handed_over)


async def test_a_claim_given_up_unheard_is_released_at_stop() -> None:
    """A claim without an answer for max_late is watched, and not forgotten at stop."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.faults.always(FAIL_AFTER, "claim")
        alone.scheduler.every("sync", "10m", nothing, max_late=5)
        skip = await alone.until_seen(Skip, within=610)
        await alone.scheduler.stop()

        assert "late" == skip.reason
        [record] = await alone.history()
        assert record.handed_over


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


async def test_a_release_is_asked_for_until_the_store_is_back() -> None:
    """A short outage at the stop doesn't cost the hand-over."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", forever)
        await alone.until_seen(Start)
        alone.faults.script("release", FAIL_BEFORE, FAIL_AFTER, FAIL_AFTER)
        await alone.scheduler.stop()

        assert [True] == [end.handed_over for end in alone.seen(Interrupted)]
        assert [True] == [record.handed_over for record in await alone.history()]


async def test_an_end_that_no_store_took_in_time_is_told_as_it_was() -> None:
    """A stop cuts the asking off; that doesn't make the handler's success less true."""

    async def handler() -> None:
        await anyio.sleep(5)

    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        alone.faults.always(FAIL_BEFORE, "finish")
        await until_asked(alone, "finish")
        await alone.scheduler.stop()

        [success] = alone.seen(Success)
        assert (Status.SUCCESS, 5.0) == (success.record.status, success.record.duration)
        assert [] == alone.seen(Interrupted)
        assert [Status.RUNNING] == await alone.statuses()


async def test_a_lost_run_is_no_success_whatever_cuts_it_off() -> None:
    """Without the lease nobody can vouch for it, though its handler returned."""

    async def handler() -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(30)

    async with open_alone(stop_timeout=40, lease=15, heartbeat=5) as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        alone.faults.always(FAIL_BEFORE)
        await alone.scheduler.stop()

        assert ["silence"] == [lost.cause for lost in alone.seen(Lost)]
        assert [False] == [end.handed_over for end in alone.seen(Interrupted)]
        assert [] == alone.seen(Success)


async def test_a_release_that_was_stored_unheard_is_no_loss() -> None:
    """Asked again it is refused, since a backup has the run: it was handed over."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", forever)
        start = await alone.until_seen(Start)
        alone.faults.script("release", HANG_AFTER)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(alone.scheduler.stop)
            await anyio.sleep(1)
            await alone.rival_wins(start.slot, attempt=2)

        assert 2 == alone.faults.calls["release"]
        assert ["start", "error", "interrupted"] == alone.names()
        assert alone.seen(Interrupted)[0].handed_over


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
