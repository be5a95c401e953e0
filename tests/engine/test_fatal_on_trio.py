"""What Trio lets come out of any task: asyncio ends its loop with it at once."""

import anyio
import pytest

from anarchon.testing.virtual import virtual_loop
from tests.engine.test_fatal import FATAL, ended_by, raising

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
