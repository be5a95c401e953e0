"""Schedules that users write: whatever they do wrong stays their job's problem."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import anyio
import pytest

from anarchon import Every, Job, State
from anarchon.events import Error, Success
from tests.alone import Alone, open_alone

if TYPE_CHECKING:
    from anarchon.rules.schedule import Schedule

pytestmark = pytest.mark.anyio

MINUTELY = Every("1m")


@dataclass
class Custom:
    """A minutely schedule whose two methods can be replaced."""

    next_after: Callable[[int], object] = MINUTELY.next_after
    latest_at: Callable[[int], object] = MINUTELY.latest_at


def raises(_: int) -> int:
    """Fail."""
    raise ZeroDivisionError("no slots today")


class RaisesNow:
    """Raises while it is told to."""

    def __init__(self) -> None:
        self.broken = True

    def __call__(self, after: int) -> int:
        """Return the next minute, or fail."""
        return raises(after) if self.broken else MINUTELY.next_after(after)


async def nothing() -> None:
    """Do the job's work."""


def add(alone: Alone, schedule: Custom) -> None:
    """Add a job with this schedule beside an ordinary one."""
    alone.scheduler.add(Job("odd", cast("Schedule", schedule), nothing))
    alone.scheduler.every("sync", "1m", nothing)


def runs(alone: Alone, job: str) -> int:
    """Count the successes of a job."""
    return sum(event.job == job for event in alone.seen(Success))


async def test_a_custom_schedule_is_a_schedule_like_any_other() -> None:
    """Anything with the two methods decides when its job is due."""
    async with open_alone() as alone:
        add(alone, Custom())
        await alone.until(lambda: runs(alone, "odd") == 2, within=130)

        assert [] == alone.seen(Error)


BROKEN: dict[str, Callable[[int], object]] = {
    "raises": raises,
    "stands still": lambda after: after,
    "goes back": lambda after: after - 60_000,
    "is no number": lambda after: None,
    "is no whole number": lambda after: after + 0.5,
    "is text": lambda after: "soon",
}


@pytest.mark.parametrize("next_after", BROKEN.values(), ids=BROKEN.keys())
async def test_a_broken_schedule_is_told_and_holds_no_other_job(
    next_after: Callable[[int], object],
) -> None:
    """Its job waits, an error event names it, and the others run."""
    async with open_alone() as alone:
        add(alone, Custom(next_after=next_after))
        await alone.until(lambda: runs(alone, "sync") == 3, within=190)

        assert 0 == runs(alone, "odd")
        errors = alone.seen(Error)
        assert {"schedule"} == {error.operation for error in errors}
        assert all("'odd'" in error.error for error in errors)
        assert 2 <= len(errors) <= 4


async def test_a_slot_that_no_float_can_hold_is_waited_for() -> None:
    """A schedule may say "never" by a number as large as it likes."""
    async with open_alone() as alone:
        never = cast("Schedule", Custom(next_after=lambda after: 10**400))
        alone.scheduler.add(Job("never", never, nothing))
        await anyio.sleep(150)

        assert [] == alone.names()
        assert State.RUNNING == alone.scheduler.state


async def test_a_schedule_that_recovers_is_used_again() -> None:
    """It is asked again after a minute."""
    next_after = RaisesNow()
    async with open_alone() as alone:
        add(alone, Custom(next_after=next_after))
        await anyio.sleep(30)
        next_after.broken = False
        await alone.until(lambda: runs(alone, "odd") == 2, within=190)


@pytest.mark.parametrize("jitter", [0, 2])
@pytest.mark.parametrize("started", [False, True])
async def test_a_schedule_that_breaks_while_catching_up_hurts_nothing(
    jitter: float, started: bool
) -> None:
    """At start and when a job is added, a raising schedule is its job's problem."""
    async with open_alone(start=started, catch_up=300, jitter=jitter) as alone:
        add(alone, Custom(next_after=raises))
        await alone.scheduler.start()
        await alone.until(lambda: runs(alone, "sync") == 3, within=190)

        assert "ZeroDivisionError: no slots today" in alone.seen(Error)[0].error


LATEST: dict[str, Callable[[int], object]] = {
    "raises": raises,
    "lies ahead": lambda at: at + 3_600_000,
    "is no whole number": lambda at: at - 0.5,
    "is text": lambda at: "once",
}


@pytest.mark.parametrize("latest_at", LATEST.values(), ids=LATEST.keys())
async def test_a_broken_latest_slot_is_told_and_not_caught_up(
    latest_at: Callable[[int], object],
) -> None:
    """The job's timer is armed all the same."""
    async with open_alone(catch_up=300) as alone:
        add(alone, Custom(latest_at=latest_at))
        await alone.until(lambda: runs(alone, "odd") == 2, within=130)

        [error] = alone.seen(Error)
        assert "schedule" == error.operation
        assert "'odd'" in error.error


async def test_a_schedule_without_an_earlier_slot_catches_nothing_up() -> None:
    """None is an answer: there was no slot yet."""
    async with open_alone(catch_up=300) as alone:
        add(alone, Custom(latest_at=lambda at: None))
        await anyio.sleep(30)

        assert 0 == runs(alone, "odd")
        assert [] == alone.seen(Error)
