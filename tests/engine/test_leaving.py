"""Leaving the block: by an exception, by a cancellation, of whatever kind."""

import anyio
import pytest

from anarchon import (
    open_scheduler,
)
from anarchon.events import Event, Interrupted, Success
from anarchon.model import State
from anarchon.testing.clocks import VirtualClock
from anarchon.testing.faults import HANG_BEFORE, Faults
from anarchon.testing.faulty import FaultyBackend
from tests.alone import open_alone
from tests.engine.counting import CountingBackend

pytestmark = pytest.mark.anyio


@pytest.fixture
def clock() -> VirtualClock:
    """Return the clock of the scheduler and the store."""
    return VirtualClock()


@pytest.fixture
def backend(clock: VirtualClock) -> CountingBackend:
    """Return a store that counts."""
    return CountingBackend(clock)


async def nothing() -> None:
    """Do the job's work."""


async def forever() -> None:
    """Work until cancelled."""
    await anyio.sleep_forever()


class BodyError(Exception):
    """Raised by the body of a block."""


@pytest.mark.parametrize(
    "raised",
    [
        BodyError("mine"),
        ExceptionGroup("mine", [BodyError("one"), ValueError("two")]),
        BaseExceptionGroup("mine", [KeyboardInterrupt(), ValueError("two")]),
        KeyboardInterrupt(),
        SystemExit(3),
        StopIteration("mine"),
        StopAsyncIteration("mine"),
        GeneratorExit("mine"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_the_bodys_own_exception_comes_out_as_it_was(
    raised: BaseException,
) -> None:
    """It isn't wrapped, unwrapped or replaced, and the run is handed over first."""
    told: list[Event] = []
    caught: BaseException | None = None
    clock = VirtualClock()
    backend = CountingBackend(clock)
    try:
        async with open_scheduler(backend, jitter=0, clock=clock) as scheduler:
            scheduler.on("interrupted", told.append)
            scheduler.every("sync", "1m", forever)
            with anyio.fail_after(100):
                while not scheduler.running():
                    await anyio.sleep(1)
            raise raised  # noqa: TRY301  out of the block
    except BaseException as error:  # noqa: BLE001  whatever it is
        caught = error

    assert raised is caught
    assert 0 == backend.open_now
    [interrupted] = told
    assert isinstance(interrupted, Interrupted)
    assert interrupted.handed_over


async def test_a_cancelled_host_hands_over_and_is_cancelled() -> None:
    """The stop happens under a shield; then the host's scope ends as it would have."""
    with anyio.move_on_after(90) as host:
        async with open_alone() as alone:
            alone.scheduler.every("sync", "1m", forever)
            await anyio.sleep_forever()

    assert host.cancelled_caught
    assert ["start", "interrupted"] == alone.names()
    assert alone.seen(Interrupted)[0].handed_over
    assert [True] == [record.handed_over for record in await alone.history()]


async def test_a_host_cancelled_while_it_starts_leaves_nothing_behind(
    backend: CountingBackend,
) -> None:
    """The start under way is ended with the block."""
    faults = Faults()
    faults.script("time", HANG_BEFORE)
    with anyio.move_on_after(1) as host:
        async with open_scheduler(FaultyBackend(backend, faults)):
            raise AssertionError("entered")

    assert host.cancelled_caught
    assert 0 == backend.open_now
    assert anyio.current_time() <= 6


async def test_a_host_that_is_cancelled_in_a_deadline_of_its_own() -> None:
    """A timeout inside the body that the body catches changes nothing."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", nothing)
        with anyio.move_on_after(10):
            await anyio.sleep_forever()
        await alone.until_seen(Success)

        assert State.RUNNING == alone.scheduler.state
