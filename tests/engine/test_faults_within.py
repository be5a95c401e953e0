"""A fault in the engine itself: it comes out, and no run is left going on for ever."""

from collections.abc import Callable

import anyio
import pytest

from anarchon.events import Start
from anarchon.testing.clocks import VirtualClock
from tests.alone import Alone, open_alone

pytestmark = pytest.mark.anyio


class Bug(Exception):
    """What should not be."""


class BuggyClock(VirtualClock):
    """A clock whose next sleep can be made to fail."""

    broken = False

    async def sleep(self, seconds: float) -> None:
        """Sleep, or fail once."""
        if self.broken:
            self.broken = False
            raise Bug
        await super().sleep(seconds)


async def forever() -> None:
    """Work until cancelled."""
    await anyio.sleep_forever()


async def nothing() -> None:
    """Do the job's work."""


def in_the_timers(alone: Alone, clock: BuggyClock) -> None:
    """Let the timers fail when they look at a new job."""
    clock.broken = True
    alone.scheduler.every("new", "1m", nothing)


async def in_a_run(alone: Alone, clock: BuggyClock) -> None:
    """Let a run's companion fail."""
    alone.scheduler.every("new", "1d", nothing, timeout=5)
    await anyio.sleep(1)
    clock.broken = True
    await alone.scheduler.run_now("new")


async def comes_out(provoke: Callable[[Alone, BuggyClock], object]) -> Alone:
    """Run a job, provoke a fault, and assert that it ends the block in time."""
    clock = BuggyClock()
    opened: list[Alone] = []
    with pytest.RaisesGroup(Bug, flatten_subgroups=True), anyio.fail_after(120):
        async with open_alone(clock=clock) as alone:
            opened.append(alone)
            alone.scheduler.every("sync", "1m", forever)
            await alone.until_seen(Start)
            provoke(alone, clock)
            await anyio.sleep_forever()
    return opened[0]


async def test_a_fault_in_the_timers_hands_the_runs_over() -> None:
    """The scheduler ends with it as it ends with a stop."""
    alone = await comes_out(in_the_timers)

    assert ["start", "interrupted"] == alone.names()
    assert [True] == [record.handed_over for record in await alone.history()]


async def test_a_fault_beside_a_run_hands_the_others_over() -> None:
    """The run itself is left to its lease, the others are not."""
    clock = BuggyClock()
    opened: list[Alone] = []
    with pytest.RaisesGroup(Bug, flatten_subgroups=True), anyio.fail_after(120):
        async with open_alone(clock=clock) as alone:
            opened.append(alone)
            alone.scheduler.every("sync", "1m", forever)
            await alone.until_seen(Start)
            await in_a_run(alone, clock)

    assert [True] == [record.handed_over for record in await opened[0].history()]
