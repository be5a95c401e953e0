"""Handlers that go on after they were told to end: bounded, fenced, waited for."""

import logging

import anyio
import pytest

from anarchon.events import (
    Error,
    Failure,
    Interrupted,
    Lost,
    Skip,
    Start,
    Success,
    Takeover,
)
from anarchon.model import Reason, State, Status
from anarchon.testing.faults import FAIL_AFTER, FAIL_BEFORE, Fault
from tests.alone import Alone, open_alone

pytestmark = pytest.mark.anyio


STOP_TIMEOUT = 10.0


class Stubborn:
    """A handler whose first call lets nothing cut it; the others return at once."""

    def __init__(self, seconds: float) -> None:
        self.calls = 0
        self.ended: float | None = None
        self._seconds = seconds

    async def __call__(self) -> None:
        """Shield the first call."""
        self.calls += 1
        if self.calls > 1:
            return
        with anyio.CancelScope(shield=True):
            await anyio.sleep(self._seconds)
        self.ended = anyio.current_time()


async def a_stubborn_run(
    alone: Alone, seconds: float, timed_out: float | None = None
) -> Stubborn:
    """Start a job whose first handler takes so long, whatever happens."""
    handler = Stubborn(seconds)
    alone.scheduler.every("sync", "1m", handler, timeout=timed_out)
    await alone.until_seen(Start)
    return handler


async def test_stop_returns_in_time_though_a_handler_goes_on() -> None:
    """Its run is neither finished nor handed over: it is left to its lease."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        handler = await a_stubborn_run(alone, 100)
        began = anyio.current_time()
        await alone.scheduler.stop()

        assert STOP_TIMEOUT <= anyio.current_time() - began <= STOP_TIMEOUT + 5
        assert handler.ended is None
        assert State.IDLE == alone.scheduler.state
        assert ["sync"] == [run.job for run in alone.scheduler.running()]
        assert [Status.RUNNING] == await alone.statuses()
        assert 0 == alone.faults.calls["release"] + alone.faults.calls["finish"]


async def test_nothing_is_sent_once_stop_has_returned() -> None:
    """A handler that ends after the stop costs no call, and is no error."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        await a_stubborn_run(alone, 100)
        await alone.scheduler.stop()
        sent = alone.faults.calls.total()
        await alone.until_seen(Interrupted, within=110)

        assert () == alone.scheduler.running()
        assert sent == alone.faults.calls.total()
        assert [] == alone.seen(Error)
        [interrupted] = alone.seen(Interrupted)
        assert (False, False) == (interrupted.handed_over, interrupted.final)


async def test_a_backup_takes_over_from_a_handler_that_outlives_its_stop() -> None:
    """The heartbeat ends with the stop, so the lease runs out."""
    async with open_alone(stop_timeout=STOP_TIMEOUT, lease=30) as alone:
        await a_stubborn_run(alone, 100)
        slot = alone.seen(Start)[0].slot
        await alone.scheduler.stop()
        await anyio.sleep(30)

        await alone.rival_wins(slot, attempt=2)


async def test_the_block_waits_for_a_handler_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nothing outlives the block."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        handler = await a_stubborn_run(alone, 100)

    assert handler.ended == anyio.current_time()
    assert 160 <= anyio.current_time() <= 161
    [warning] = [r for r in caplog.records if "waiting for" in r.getMessage()]
    assert logging.WARNING == warning.levelno
    assert "1 handler" in warning.getMessage()


async def test_an_instance_claims_a_job_again_once_its_old_handler_has_ended() -> None:
    """After stop and start, no second handler runs beside the first one here."""
    async with open_alone(stop_timeout=STOP_TIMEOUT, lease=15, heartbeat=5) as alone:
        handler = await a_stubborn_run(alone, 200)
        await alone.scheduler.stop()
        await alone.scheduler.start()
        await alone.until_seen(Success, within=300)

        skips = alone.seen(Skip)
        assert {("overlap", "A")} == {(skip.reason, skip.by) for skip in skips}
        assert 3 == len(skips)
        assert handler.ended is not None
        assert 2 == handler.calls


async def test_a_handler_that_ignores_its_timeout_has_failed() -> None:
    """Past the timeout and the stop timeout its run ends without it."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        handler = await a_stubborn_run(alone, 200, timed_out=20)
        began = anyio.current_time()
        failure = await alone.until_seen(Failure)

        assert 20 + STOP_TIMEOUT == anyio.current_time() - began
        assert handler.ended is None
        assert "timed out after 20 s, and still goes on" == failure.record.error
        assert 20 + STOP_TIMEOUT == failure.record.duration
        assert [Status.FAILED] == await alone.statuses()


async def test_a_job_is_not_claimed_while_a_timed_out_handler_goes_on() -> None:
    """This instance skips its slots until the handler has ended, then goes on."""
    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        handler = await a_stubborn_run(alone, 130, timed_out=20)
        await alone.until_seen(Success, within=200)

        assert [("overlap", "A")] * 2 == [(s.reason, s.by) for s in alone.seen(Skip)]
        assert ["start", "failure", "skip", "skip", "start", "success"] == alone.names()
        assert handler.ended is not None


async def test_a_slot_won_late_is_not_run_beside_a_stubborn_handler() -> None:
    """The claim was asked before the handler was told to end: it is handed over."""
    async with open_alone(stop_timeout=STOP_TIMEOUT, overlap="allow") as alone:
        handler = Stubborn(130)
        alone.scheduler.every("sync", "1m", handler, timeout=62)
        await alone.until_seen(Start)
        alone.faults.always(Fault(reply_delay=4), "claim")
        interrupted = await alone.until_seen(Interrupted)

        assert 1 == handler.calls
        assert interrupted.handed_over
        assert alone.seen(Start)[0].slot + 60_000 == interrupted.slot


async def test_a_timed_out_run_keeps_its_lease_until_its_end_is_stored() -> None:
    """A store that is away just then causes no second attempt."""
    async with open_alone(stop_timeout=STOP_TIMEOUT, lease=30) as alone:
        await a_stubborn_run(alone, 200, timed_out=20)
        alone.faults.always(FAIL_BEFORE, "finish")
        await anyio.sleep(20 + STOP_TIMEOUT + 40)
        [run] = (await alone.store.unfinished(["sync"])).runs
        alone.faults.clear()
        await alone.until_seen(Failure)

        assert run.left > 0
        assert [Status.FAILED] == await alone.statuses()


@pytest.mark.parametrize("leases", [True, False], ids=["leases", "claims"])
async def test_a_timed_out_end_is_repeated_as_it_was(leases: bool) -> None:
    """That its handler has ended meanwhile makes it no other end."""
    async with open_alone(stop_timeout=STOP_TIMEOUT, leases=leases) as alone:
        handler = await a_stubborn_run(alone, 20 + STOP_TIMEOUT + 15, timed_out=20)
        alone.faults.always(FAIL_AFTER, "finish")
        await anyio.sleep(20 + STOP_TIMEOUT + 20)
        alone.faults.clear()
        told = (await alone.until_seen(Failure)).record
        [stored] = await alone.history()

        assert handler.ended is not None
        assert [] == alone.seen(Lost)
        assert (told.error, told.duration) == (stored.error, stored.duration)


async def test_a_handler_that_ignores_its_loss_is_left_alone() -> None:
    """A lost run ends for the instance; the job waits for the handler."""
    async with open_alone(stop_timeout=STOP_TIMEOUT, lease=15, heartbeat=5) as alone:
        await a_stubborn_run(alone, 130)
        slot = alone.seen(Start)[0].slot
        alone.faults.always(FAIL_BEFORE, "heartbeat")
        await alone.until_seen(Lost)
        await anyio.sleep(20)
        await alone.rival_wins(slot, attempt=2, lease=600)
        alone.faults.clear()
        await alone.until_seen(Interrupted, within=200)
        beats = alone.faults.calls["heartbeat"]
        await anyio.sleep(10)

        assert beats == alone.faults.calls["heartbeat"]
        assert [] == alone.seen(Success)
        assert "B" == (await alone.history())[0].instance_id


async def test_a_lost_run_is_not_taken_over_beside_its_old_handler() -> None:
    """An instance becomes the backup of its own lost run, once the handler ended."""
    async with open_alone(stop_timeout=STOP_TIMEOUT, lease=15, heartbeat=5) as alone:
        alone.scheduler.every("sync", "10m", handler := Stubborn(100))
        await alone.until_seen(Start, within=610)
        alone.faults.always(FAIL_BEFORE, "heartbeat")
        await alone.until_seen(Lost)
        alone.faults.clear()
        await alone.until_seen(Success, within=300)

        [takeover] = alone.seen(Takeover)
        assert 2 == takeover.attempt
        assert 2 == handler.calls
        assert handler.ended is not None
        assert takeover.at.timestamp() >= alone.clock.time() - 11
        assert [Status.INTERRUPTED, Status.SUCCESS] == await alone.statuses()
        assert Reason.TAKEOVER == (await alone.history())[0].reason


async def test_a_run_that_was_given_up_is_over_when_its_handler_is() -> None:
    """It waits for no timeout that is still to come; a backup may be at work then."""
    async with open_alone(stop_timeout=STOP_TIMEOUT, lease=15, heartbeat=5) as alone:
        alone.scheduler.every("sync", "10m", handler := Stubborn(100), timeout="1h")
        await alone.until_seen(Start, within=610)
        alone.faults.always(FAIL_BEFORE, "heartbeat")
        await alone.until_seen(Lost)
        alone.faults.clear()
        await alone.until_seen(Interrupted, within=100)

        assert handler.ended == anyio.current_time()
        assert () == alone.scheduler.running()
        await alone.until_seen(Takeover, within=15)


async def test_a_handler_that_swallows_a_stop_again_and_again_is_cut_at_last() -> None:
    """Level cancellation meets it at each await; stop returns all the same."""
    swallowed = 0

    async def handler() -> None:
        nonlocal swallowed
        while swallowed < 5_000:
            try:
                await anyio.sleep(1)
            except anyio.get_cancelled_exc_class():
                swallowed += 1

    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        await alone.scheduler.stop()

        assert 5_000 == swallowed
        assert [Status.SUCCESS] == await alone.statuses()
