"""Nothing outlives the block: no task of the scheduler, however it is left."""

from collections.abc import Awaitable, Callable

import anyio
import pytest

from anarchon import RunContext
from anarchon.testing.faults import HANG_BEFORE
from tests.alone import Alone, open_alone

pytestmark = pytest.mark.anyio


class BodyError(Exception):
    """Raised by a body."""


async def forever() -> None:
    """Work until cancelled."""
    await anyio.sleep_forever()


async def slow_to_end(ctx: RunContext) -> None:
    """End a while after the stop."""
    with ctx.shield(100):
        await anyio.sleep(70)


async def interrupted() -> None:
    """End everything."""
    await anyio.sleep(20)
    raise KeyboardInterrupt


async def returns(_: Alone) -> None:
    """Leave the block in the ordinary way."""


async def raises(_: Alone) -> None:
    """Leave it by an exception."""
    raise BodyError


async def stops(alone: Alone) -> None:
    """Leave it after a stop."""
    await alone.scheduler.stop()


async def loses_the_store(alone: Alone) -> None:
    """Leave it without the store."""
    alone.faults.always(HANG_BEFORE)


async def waits(_: Alone) -> None:
    """Be cancelled."""
    await anyio.sleep_forever()


async def dies(alone: Alone) -> None:
    """Be ended by a handler."""
    alone.scheduler.every("fatal", "1m", interrupted)
    await anyio.sleep_forever()


BODIES = [returns, raises, stops, loses_the_store, waits, dies]


@pytest.mark.parametrize("leases", [True, False])
@pytest.mark.parametrize("body", BODIES)
async def test_no_task_outlives_the_block(
    body: Callable[[Alone], Awaitable[None]], leases: bool
) -> None:
    """Timers, claims, heartbeats, watches, runs: all have ended when it is left."""
    before = {task.id for task in anyio.get_running_tasks()}
    during: set[int] = set()
    try:
        with anyio.move_on_after(200):
            async with open_alone(leases=leases, stop_timeout=10) as alone:
                alone.scheduler.every("sync", "1m", forever)
                alone.scheduler.every("slow", "1m", slow_to_end)
                slot = alone.scheduler.next_slot("sync")
                alone.scheduler.every("other", "10s", forever, timeout=5)
                await anyio.sleep(slot / 1000 - alone.clock.time() + 15)
                during |= {task.id for task in anyio.get_running_tasks()}
                await body(alone)
    except (BodyError, KeyboardInterrupt):
        pass
    after = {task.id for task in anyio.get_running_tasks()}

    assert len(before) + 3 <= len(during)
    assert before == after


@pytest.mark.parametrize("leases", [True, False])
async def test_no_task_outlives_a_stop(leases: bool) -> None:
    """After stop only the block itself is left, until the next start."""
    async with open_alone(leases=leases, start=False) as alone:
        alone.scheduler.every("sync", "1m", forever)
        before = {task.id for task in anyio.get_running_tasks()}
        for _ in range(3):
            await alone.scheduler.start()
            await anyio.sleep(70)
            assert before < {task.id for task in anyio.get_running_tasks()}
            await alone.scheduler.stop()
            await anyio.sleep(0.001)
            assert before == {task.id for task in anyio.get_running_tasks()}
