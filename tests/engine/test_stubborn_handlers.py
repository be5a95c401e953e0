"""Handlers that go on after they were told to end: bounded, fenced, waited for."""

import logging

import anyio
import pytest

from anarchon import RunContext
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
from anarchon.testing.faults import FAIL_BEFORE
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


async def test_a_longer_stop_is_not_cut_short_by_a_timeout() -> None:
    """The stop came first: the handler has all of its time to end and hand over."""

    async def handler(ctx: RunContext) -> None:
        with ctx.shield(60):
            await anyio.sleep(50)
        await anyio.sleep(1)

    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", handler, timeout=20)
        await alone.until_seen(Start)
        await alone.scheduler.stop(timeout=100)

        assert [True] == [end.handed_over for end in alone.seen(Interrupted)]


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


async def test_a_shielded_unit_of_work_outlives_a_stop() -> None:
    """What stands in the context's shield is finished; then the stop is met."""
    done: list[str] = []

    async def handler(ctx: RunContext) -> None:
        with ctx.shield(5):
            await anyio.sleep(3)
            done.append("unit")
        await anyio.sleep(1)
        done.append("more")

    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        began = anyio.current_time()
        await alone.scheduler.stop()

        assert 3 == anyio.current_time() - began
        assert ["unit"] == done
        assert alone.seen(Interrupted)[0].handed_over


async def test_a_shielded_unit_of_work_outlives_a_timeout() -> None:
    """The run has failed by its timeout, after the unit was done."""
    done: list[str] = []

    async def handler(ctx: RunContext) -> None:
        with ctx.shield(20):
            await anyio.sleep(15)
            done.append("unit")

    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", handler, timeout=10)
        failure = await alone.until_seen(Failure)

        assert ["unit"] == done
        assert "timed out after 10 s" == failure.record.error
        assert 15.0 == failure.record.duration


async def test_a_shield_is_bounded_by_its_grace() -> None:
    """A unit that takes longer than it said is cut."""

    async def handler(ctx: RunContext) -> None:
        with ctx.shield("2s") as scope:
            await anyio.sleep(10)
        assert scope.cancelled_caught

    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", handler)
        success = await alone.until_seen(Success)

        assert 2.0 == success.record.duration


async def test_a_shield_of_no_duration_is_refused() -> None:
    """The run fails with a word on what is allowed."""

    async def handler(ctx: RunContext) -> None:
        with ctx.shield(-1):
            await anyio.sleep(10)

    async with open_alone(stop_timeout=STOP_TIMEOUT) as alone:
        alone.scheduler.every("sync", "1m", handler)
        failure = await alone.until_seen(Failure)

        assert "grace must be a duration of 0 or more" in (failure.record.error or "")


async def test_a_shield_does_not_hold_against_a_refusal() -> None:
    """Another attempt may be at work: the unit is cut at the next heartbeat."""
    cut: list[tuple[float, object]] = []

    async def handler(ctx: RunContext) -> None:
        began = anyio.current_time()
        try:
            with ctx.shield(60):
                await anyio.sleep(50)
        finally:
            cut.append((anyio.current_time() - began, ctx.cancel_reason))
        with ctx.shield(60):
            await anyio.sleep(50)

    async with open_alone(stop_timeout=STOP_TIMEOUT, lease=15, heartbeat=5) as alone:
        alone.scheduler.every("sync", "10m", handler, on_lost_contact="continue")
        await alone.until_seen(Start, within=610)
        slot = alone.seen(Start)[0].slot
        alone.faults.always(FAIL_BEFORE, "heartbeat")
        await anyio.sleep(16)
        await alone.rival_wins(slot, attempt=2, lease=600)
        alone.faults.clear()
        await alone.until_seen(Interrupted)

        [(after, reason)] = cut
        assert after < 25
        assert "lost" == reason
        assert ["refused"] == [lost.cause for lost in alone.seen(Lost)]
