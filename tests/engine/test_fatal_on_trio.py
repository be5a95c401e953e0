"""What Trio lets come out of any task: asyncio ends its loop with it at once."""

import anyio
import pytest

from anarchon.events import Event, Start
from anarchon.testing.virtual import virtual_loop
from tests.alone import Alone
from tests.engine.test_fatal import FATAL, ended_by, forever, raising

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    """Run on Trio alone."""
    return virtual_loop("trio")


async def test_one_in_a_group_comes_out_bare() -> None:
    """A handler's own nursery wraps it; what ends the scheduler is the fatal error."""

    async def handler() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.sleep_forever)
            tasks.start_soon(raising(FATAL[0]))  # type: ignore[arg-type]

    alone, raised = await ended_by(
        lambda alone: alone.scheduler.every("sync", "1m", handler)
    )

    assert FATAL[0] is raised
    assert [True] == [record.handed_over for record in await alone.history()]


async def test_one_out_of_a_callback_comes_out_bare() -> None:
    """A callback is no handler, but Ctrl+C may reach it as well."""
    error = KeyboardInterrupt()

    def interrupt(event: Event) -> None:
        if isinstance(event, Start) and event.job == "sync":
            raise error

    def add(alone: Alone) -> None:
        alone.scheduler.on("start", interrupt)
        alone.scheduler.every("sync", "1m", forever)
        alone.scheduler.every("long", "1m", forever, offset=59)

    alone, raised = await ended_by(add)

    assert error is raised
    assert [True] == [record.handed_over for record in await alone.history("long")]
