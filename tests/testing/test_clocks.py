"""Wrong clocks: offset, drift and steps, and the instants that they leave alone."""

import anyio
import pytest

from anarchon.testing.clocks import EPOCH, GatedClock, VirtualClock
from anarchon.testing.gate import Gate

pytestmark = pytest.mark.anyio

HOUR = 3_600.0


async def test_a_clock_shows_the_epoch_at_zero() -> None:
    """Unless told otherwise, a clock is right: the epoch plus the loop's time."""
    clock = VirtualClock()

    await anyio.sleep(90)

    assert EPOCH + 90 == clock.time()
    assert 90 == clock.monotonic()


async def test_an_offset_makes_wall_time_wrong_and_nothing_else() -> None:
    """A wrong clock still counts right."""
    clock = VirtualClock(epoch=1_000.0, offset=-2.5)

    assert 997.5 == clock.time()
    assert 0.0 == clock.monotonic()


@pytest.mark.parametrize("seconds", [HOUR, -HOUR])
async def test_a_step_moves_wall_time_and_no_sleep(seconds: float) -> None:
    """Monotonic time, and a sleep under way, know of no step."""
    clock = VirtualClock(epoch=0.0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(clock.sleep, 10)
        await anyio.sleep(4)
        clock.step(seconds)
        assert 4 + seconds == clock.time()

    assert 10 == clock.monotonic() == anyio.current_time()


async def test_a_fast_clock_counts_and_sleeps_fast() -> None:
    """Drift is the machine's: its walls, its sleeps and its monotonic time agree."""
    clock = VirtualClock(epoch=0.0, rate=1.25)

    await clock.sleep(10)

    assert 8 == anyio.current_time()
    assert 10 == clock.time() == clock.monotonic()


async def test_a_suspended_machine_loses_monotonic_time_alone() -> None:
    """After a suspension the wall has moved on and monotonic time has not."""
    clock = VirtualClock(epoch=0.0)
    await anyio.sleep(100)

    clock.suspended(60)

    assert 100 == clock.time()
    assert 40 == clock.monotonic()


async def test_a_frozen_sleep_returns_at_the_thaw() -> None:
    """While an instance is frozen, no sleep of it returns, however long over."""
    gate = Gate()
    clock = GatedClock(VirtualClock(), gate)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_thaw, gate, 30)
        gate.freeze()
        await clock.sleep(10)

    assert 30 == anyio.current_time()


async def test_a_frozen_sleep_is_cancelled_at_the_thaw() -> None:
    """A deadline that passes while an instance is frozen is met when it wakes."""
    gate = Gate()
    clock = GatedClock(VirtualClock(), gate)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_thaw, gate, 30)
        gate.freeze()
        with anyio.move_on_after(5) as scope:
            await clock.sleep(10)

    assert scope.cancelled_caught
    assert 30 == anyio.current_time()


async def test_a_freeze_during_a_sleep_holds_it() -> None:
    """It is the moment of waking that counts, not the moment of going to sleep."""
    gate = Gate()
    clock = GatedClock(VirtualClock(), gate)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_thaw, gate, 30)
        tasks.start_soon(clock.sleep, 10)
        await anyio.sleep(9)
        gate.freeze()

    assert 30 == anyio.current_time()


async def _thaw(gate: Gate, after: float) -> None:
    await anyio.sleep(after)
    gate.thaw()
