"""Ctrl+C on Trio, which raises it in whatever function runs just then."""

import anyio
import pytest
import trio

from anarchon.events import Failure, Takeover
from anarchon.testing.clocks import VirtualClock
from anarchon.testing.virtual import virtual_loop
from tests.alone import open_alone
from tests.engine.scenes import slot_at

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    """Run on Trio alone: asyncio tells its main task."""
    return virtual_loop("trio")


class WatchfulClock(VirtualClock):
    """A clock that notes whether Ctrl+C would strike whoever sleeps by it."""

    def __init__(self) -> None:
        super().__init__()
        self.struck: list[bool] = []

    async def sleep(self, seconds: float) -> None:
        """Note it and sleep."""
        self.struck.append(would_strike())
        await super().sleep(seconds)


def would_strike() -> bool:
    """Tell whether Ctrl+C would be raised right here."""
    return not trio.lowlevel.currently_ki_protected()


async def long() -> None:
    """Work for longer than is allowed."""
    await anyio.sleep(50)


async def test_ctrl_c_strikes_no_task_of_the_scheduler() -> None:
    """It would leave a group or a wake-up in pieces: no timer, watch or beat."""
    clock, told = WatchfulClock(), list[bool]()
    async with open_alone(clock=clock, lease=9, heartbeat=3) as alone:
        alone.scheduler.on("start", lambda _: told.append(would_strike()))
        await alone.rival_wins(slot_at(0), lease=9)
        alone.scheduler.every("sync", "1m", long, timeout=20)
        await alone.until_seen(Takeover)
        await alone.until_seen(Failure)
        await alone.scheduler.run_now("sync")

    assert {False} == {*clock.struck, *told}


async def test_ctrl_c_may_strike_a_handler() -> None:
    """So one that never waits can be ended, and what it does next is its own."""
    here: list[bool] = []

    async def handler() -> None:
        here.append(would_strike())

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1h", handler)
        await alone.scheduler.run_now("sync")
        here.append(would_strike())

    assert [True, True] == here
