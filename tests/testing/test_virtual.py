"""Time that jumps: sleeping, deadlines and order behave as on real time."""

import time

import anyio
import anyio.lowlevel
import pytest

from anarchon.testing.virtual import Loop, run_virtual

DAY = 86_400.0


@pytest.mark.anyio
async def test_time_starts_at_zero() -> None:
    """No test sees the time that another one spent."""
    assert 0.0 == anyio.current_time()


@pytest.mark.anyio
async def test_a_day_of_sleep_takes_no_real_time() -> None:
    """A sleep ends exactly when it should, by virtual time alone."""
    began = time.monotonic()

    await anyio.sleep(DAY)

    assert DAY == anyio.current_time()
    assert time.monotonic() - began < 5


@pytest.mark.anyio
async def test_sleepers_wake_in_the_order_of_their_times() -> None:
    """Time jumps to the nearest timer, never over one."""
    woken: list[float] = []

    async def sleep(seconds: float) -> None:
        await anyio.sleep(seconds)
        woken.append(anyio.current_time())

    async with anyio.create_task_group() as tasks:
        for seconds in (3.25, 0.001, 600.0, 1.5):
            tasks.start_soon(sleep, seconds)

    assert [0.001, 1.5, 3.25, 600.0] == woken


@pytest.mark.anyio
async def test_a_deadline_passes_on_virtual_time() -> None:
    """Cancel scopes and sleeps share one time."""
    with anyio.move_on_after(DAY) as scope:
        await anyio.sleep_forever()

    assert scope.cancelled_caught
    assert DAY == anyio.current_time()


@pytest.mark.anyio
async def test_time_stands_still_while_a_task_works() -> None:
    """Only waiting moves time: work takes none of it."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.sleep, 10)
        for _ in range(1_000):
            await anyio.lowlevel.checkpoint()
        assert 0.0 == anyio.current_time()


def test_run_virtual_returns_what_the_function_returned(loop: Loop) -> None:
    """A function runs on virtual time outside pytest's fixtures, with its arguments."""

    async def sleep(seconds: float) -> float:
        await anyio.sleep(seconds)
        return anyio.current_time()

    assert DAY == run_virtual(sleep, DAY, loop=loop)


def test_run_virtual_raises_what_the_function_raised(loop: Loop) -> None:
    """An error comes out as it is, in no group."""

    async def fail() -> None:
        await anyio.sleep(1)
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        run_virtual(fail, loop=loop)
