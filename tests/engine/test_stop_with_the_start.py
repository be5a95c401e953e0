"""A stop that comes together with the last answer of a start."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import pytest

from anarchon import MemoryBackend, SchedulerNotRunning, State, open_scheduler
from anarchon.backends.memory.store import Data, MemoryClaimStore, MemoryLeaseStore
from anarchon.protocol import Unfinished
from anarchon.testing.clocks import VirtualClock

pytestmark = pytest.mark.anyio


class SlowStore(MemoryLeaseStore):
    """A store whose answer to what is unfinished is on its way until it is let go."""

    def __init__(self, data: Data) -> None:
        super().__init__(data)
        self.let_go = anyio.Event()

    async def unfinished(self, jobs: Sequence[str]) -> Unfinished:
        """Answer once the answer is let go."""
        answer = await super().unfinished(jobs)
        await self.let_go.wait()
        return answer


class SlowBackend(MemoryBackend):
    """A backend with one such store."""

    store: SlowStore

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[MemoryClaimStore]:
        """Open it."""
        await anyio.lowlevel.checkpoint()
        self.store = SlowStore(self._data)
        yield self.store


@pytest.fixture
def backend() -> SlowBackend:
    """Return a store that answers late."""
    return SlowBackend(clock=VirtualClock())


async def forever() -> None:
    """Work until cancelled."""
    await anyio.sleep_forever()


async def test_a_stop_with_the_last_answer_of_the_start_starts_nothing(
    backend: SlowBackend,
) -> None:
    """The start was stopped while it was starting: nothing is caught up."""
    refused: list[str] = []
    async with open_scheduler(
        backend, start=False, clock=VirtualClock(), jitter=0
    ) as scheduler:
        scheduler.every("sync", "1m", forever)

        async def start() -> None:
            try:
                await scheduler.start()
            except SchedulerNotRunning as error:
                refused.append(str(error))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(start)
            await anyio.sleep(1)
            backend.store.let_go.set()
            await scheduler.stop()

        assert ["stopped while it was starting"] == refused
        assert State.IDLE == scheduler.state
        assert [] == await scheduler.history("sync")
