"""Stopping while the store has not answered: what may have been won is let go."""

import anyio
import pytest

from anarchon.events import Interrupted, Lost, Skip, Start, Success
from anarchon.model import Status
from anarchon.testing.faults import (
    FAIL_AFTER,
    FAIL_BEFORE,
    HANG_AFTER,
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
