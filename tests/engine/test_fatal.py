"""KeyboardInterrupt and SystemExit end the scheduler; its runs are handed over."""

from collections.abc import Callable

import anyio
import pytest

from anarchon.events import Event, Interrupted, RunEvent
from anarchon.model import Status
from anarchon.testing.faults import HANG_BEFORE
from tests.alone import Alone, open_alone

pytestmark = pytest.mark.anyio

FATAL: list[BaseException] = [KeyboardInterrupt(), SystemExit(3)]
fatal = pytest.mark.parametrize("error", FATAL, ids=["interrupt", "exit"])


async def forever() -> None:
    """Work until cancelled."""
    await anyio.sleep_forever()


def raising(error: BaseException) -> Callable[[], object]:
    """Return a handler that raises this after a moment."""

    async def handler() -> None:
        await anyio.sleep(1)
        raise error

    return handler


async def ended_by(
    add: Callable[[Alone], object], *, leases: bool = True
) -> tuple[Alone, BaseException]:
    """Let a body wait for ever; return what came out of the block."""
    opened: list[Alone] = []
    try:
        async with open_alone(leases=leases) as alone:
            opened.append(alone)
            add(alone)
            await anyio.sleep_forever()
    except BaseException as error:  # noqa: BLE001  whatever it is
        return opened[0], error
    raise AssertionError("nothing came out")


@fatal
@pytest.mark.parametrize("leases", [True, False])
async def test_it_comes_out_of_the_block_as_it_was(
    error: BaseException, leases: bool
) -> None:
    """Bare, in no group; its own run is interrupted first."""
    alone, raised = await ended_by(
        lambda alone: alone.scheduler.every("sync", "1m", raising(error)),
        leases=leases,
    )

    assert error is raised
    assert ["start", "interrupted"] == alone.names()
    [record] = await alone.history()
    assert (Status.INTERRUPTED, leases) == (record.status, record.handed_over)
    assert type(error).__name__ in (alone.seen(Interrupted)[0].record.error or "")


@fatal
async def test_the_other_runs_are_handed_over_too(error: BaseException) -> None:
    """The end of the scheduler is a stop."""

    def add(alone: Alone) -> None:
        alone.scheduler.every("sync", "1m", raising(error))
        alone.scheduler.every("long", "1m", forever)

    alone, raised = await ended_by(add)

    assert error is raised
    assert [True] == [record.handed_over for record in await alone.history("long")]
    assert [True] == [record.handed_over for record in await alone.history("sync")]


async def test_one_out_of_a_manual_run_ends_everything_too() -> None:
    """Whoever asked for the run is cancelled with all the rest."""
    error, opened = KeyboardInterrupt(), list[Alone]()
    raised: BaseException | None = None
    try:
        async with open_alone() as alone:
            opened.append(alone)
            alone.scheduler.every("sync", "1d", raising(error))
            await alone.scheduler.run_now("sync")
    except KeyboardInterrupt as caught:
        raised = caught

    assert error is raised
    assert [Status.INTERRUPTED] == await opened[0].statuses()


async def test_one_that_meets_a_body_which_raises_wins() -> None:
    """The fatal error is what comes out, whatever the body makes of the end."""
    error = KeyboardInterrupt()
    raised: BaseException | None = None
    try:
        async with open_alone() as alone:
            alone.scheduler.every("sync", "1m", raising(error))
            try:
                await anyio.sleep_forever()
            finally:
                raise ValueError("in clean-up")
    except BaseException as caught:  # noqa: BLE001  whatever it is
        raised = caught

    assert error is raised


async def test_one_is_bounded_without_the_store() -> None:
    """A store that is gone holds it for the stop timeout and the closing."""

    def add(alone: Alone) -> None:
        alone.faults.always(HANG_BEFORE, "release")
        alone.scheduler.every("sync", "1m", raising(FATAL[0]))

    _, raised = await ended_by(add)

    assert FATAL[0] is raised
    assert anyio.current_time() <= 61 + 90 + 35


@pytest.mark.parametrize("event", ["start", "interrupted"])
async def test_one_out_of_a_callback_comes_out_bare(event: str) -> None:
    """A callback is no handler, but Ctrl+C may reach it as well."""
    error = KeyboardInterrupt()

    def interrupt(event: Event) -> None:
        if isinstance(event, RunEvent) and event.job == "sync":
            raise error

    def add(alone: Alone) -> None:
        alone.scheduler.on(event, interrupt)
        alone.scheduler.every("sync", "1m", raising(SystemExit()))
        alone.scheduler.every("long", "1m", forever, offset=59)

    alone, raised = await ended_by(add)

    assert error is raised
    assert [True] == [record.handed_over for record in await alone.history("long")]
    assert [True] == [record.handed_over for record in await alone.history("sync")]
