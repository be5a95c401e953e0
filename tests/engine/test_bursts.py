"""Many jobs that are due at once, on a store that is slow."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest

from anarchon import MemoryBackend, RunContext, open_scheduler
from anarchon.backends.memory.store import Data, MemoryClaimStore, MemoryLeaseStore
from anarchon.engine.calls import AT_ONCE
from anarchon.events import Error, Skip
from anarchon.model import End
from anarchon.protocol import Answer, Claim, ClaimReply
from anarchon.testing.clocks import VirtualClock
from anarchon.testing.faults import HANG_BEFORE
from tests.alone import open_alone

pytestmark = pytest.mark.anyio

JOBS = 1_000
# seconds; all claims together take twice as long as one of them may wait
EACH = 0.01


class OneByOneStore(MemoryLeaseStore):
    """Serves one claim or finish at a time, as a single connection does."""

    def __init__(self, data: Data) -> None:
        super().__init__(data)
        self._turn = anyio.Lock()

    async def claim(self, claim: Claim) -> ClaimReply:
        """Wait for the others, and take some time."""
        async with self._turn:
            await anyio.sleep(EACH)
            return await super().claim(claim)

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """Wait for the others, and take some time."""
        async with self._turn:
            await anyio.sleep(EACH)
            return await super().finish(job, slot, token, end)


class OneByOneBackend(MemoryBackend):
    """Opens such stores."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[MemoryClaimStore]:
        """Yield the store."""
        await anyio.lowlevel.checkpoint()
        yield OneByOneStore(self._data)


async def test_a_burst_doesnt_wait_for_itself_in_vain() -> None:
    """Each job of a burst runs once and no call is given up, however slow the store."""
    clock = VirtualClock()
    ran: list[str] = []
    errors: list[object] = []

    async def handler(ctx: RunContext) -> None:
        """Do the job's work."""
        ran.append(ctx.job)

    async with open_scheduler(
        OneByOneBackend(clock=clock), clock=clock, jitter=0, catch_up=0
    ) as scheduler:
        scheduler.on(Error.name, errors.append)
        for number in range(JOBS):
            scheduler.every(f"job {number}", "10m", handler)
        await anyio.sleep(600 + 3 * JOBS * EACH)

        assert [] == errors
        assert sorted(f"job {number}" for number in range(JOBS)) == sorted(ran)


@pytest.mark.parametrize("leases", [True, False])
async def test_what_finds_no_room_in_time_is_not_asked_for(leases: bool) -> None:
    """A silent store holds up the rest of a burst, which is late by then."""
    async with open_alone(leases=leases, jitter=0, max_late=4) as alone:
        alone.faults.always(HANG_BEFORE, "claim")

        async def handler() -> None:
            """Do the job's work."""

        jobs = [f"job {number}" for number in range(AT_ONCE + 10)]
        for job in jobs:
            alone.scheduler.every(job, "10m", handler)
        await alone.until_due(jobs[0])
        await anyio.sleep(20)

        calls = [call for call in alone.faults.log if call.operation == "claim"]
        asked = {
            arg.job for call in calls for arg in call.args if isinstance(arg, Claim)
        }
        assert AT_ONCE == len(asked)
        late = [skip.job for skip in alone.seen(Skip) if skip.reason == "late"]
        assert sorted(jobs) == sorted(late)
