"""The context's shield: one unit of work that a stop or a timeout doesn't cut."""

import anyio
import pytest

from anarchon import RunContext
from anarchon.events import (
    Failure,
    Interrupted,
    Lost,
    Start,
    Success,
)
from anarchon.testing.faults import FAIL_BEFORE
from tests.alone import open_alone

pytestmark = pytest.mark.anyio


STOP_TIMEOUT = 10.0


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
