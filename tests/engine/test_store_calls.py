"""Calls to the store: each is bounded, and each failure is told and survived."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio
import pytest

from anarchon import MemoryBackend
from anarchon.backends.memory.store import MemoryClaimStore, MemoryLeaseStore
from anarchon.events import Error, Start, Success
from anarchon.model import State, Status
from anarchon.protocol import Unfinished
from anarchon.testing.clocks import VirtualClock
from anarchon.testing.faults import (
    FAIL_AFTER,
    FAIL_BEFORE,
    HANG_AFTER,
    HANG_BEFORE,
    Fault,
)
from tests.alone import Alone, open_alone

pytestmark = pytest.mark.anyio


async def nothing() -> None:
    """Do the job's work."""


async def forever() -> None:
    """Work until cancelled."""
    await anyio.sleep_forever()


async def run_a_job(alone: Alone) -> None:
    """Let a slot be claimed, run and finished."""
    alone.scheduler.every("sync", "1m", nothing)
    await anyio.sleep(70)


async def hold_a_lease(alone: Alone) -> None:
    """Let a run beat for a while."""
    alone.scheduler.every("sync", "1m", forever)
    await anyio.sleep(80)


async def stop_a_run(alone: Alone) -> None:
    """Let a run be handed over."""
    alone.scheduler.every("sync", "1m", forever)
    await alone.until_seen(Start)
    await alone.scheduler.stop()


async def run_by_hand(alone: Alone) -> None:
    """Let a manual run be recorded."""
    alone.scheduler.every("sync", "1h", nothing)
    await alone.scheduler.run_now("sync")


CALLS: dict[str, Callable[[Alone], Awaitable[None]]] = {
    "claim": run_a_job,
    "finish": run_a_job,
    "heartbeat": hold_a_lease,
    "release": stop_a_run,
    "record": run_by_hand,
}


@pytest.mark.parametrize(("lease", "bound"), [(6, 1.5), (60, 5)])
@pytest.mark.parametrize(("operation", "provoke"), CALLS.items())
async def test_a_call_for_a_run_is_bounded_by_its_lease(
    operation: str,
    provoke: Callable[[Alone], Awaitable[None]],
    lease: float,
    bound: float,
) -> None:
    """A quarter of the lease, five seconds at most; then there is no answer."""
    async with open_alone(lease=lease, heartbeat=lease / 6, stop_timeout=30) as alone:
        alone.faults.script(operation, HANG_BEFORE)
        await provoke(alone)

        [error] = alone.seen(Error)
        assert (operation, f"no answer within {bound:g} s") == (
            error.operation,
            error.error,
        )
        assert ("sync", 1) == (error.job, error.attempt)


async def test_the_sweep_is_bounded_and_goes_on() -> None:
    """A reading that hangs costs that one sweep."""
    async with open_alone(lease=6, heartbeat=2) as alone:
        alone.scheduler.every("sync", "10m", nothing)
        await anyio.sleep(1)
        alone.faults.script("unfinished", HANG_BEFORE)
        error = await alone.until_seen(Error)
        swept = alone.faults.calls["unfinished"]
        await anyio.sleep(60)

        assert ("unfinished", "no answer within 1.5 s") == (
            error.operation,
            error.error,
        )
        assert swept + 9 <= alone.faults.calls["unfinished"]
        assert 1 == len(alone.seen(Error))


@pytest.mark.parametrize("fault", [FAIL_BEFORE, FAIL_AFTER, HANG_BEFORE, HANG_AFTER])
@pytest.mark.parametrize(
    "operation", ["claim", "heartbeat", "finish", "unfinished", "time"]
)
async def test_one_failing_call_costs_no_run(operation: str, fault: Fault) -> None:
    """Whatever fails once is asked again or is not missed: every slot has a success."""

    async def handler() -> None:
        await anyio.sleep(8)

    async with open_alone(lease=30, heartbeat=5) as alone:
        alone.scheduler.every("sync", "1m", handler)
        await anyio.sleep(30)
        alone.faults.script(operation, fault)
        await alone.until_seen(Success, 3, within=190)

        assert [Status.SUCCESS] * 3 == await alone.statuses()
        assert all(error.operation == operation for error in alone.seen(Error))
        assert len(alone.seen(Error)) <= 1


@pytest.mark.parametrize("fault", [FAIL_BEFORE, HANG_AFTER])
async def test_a_store_that_is_gone_for_long_leaves_the_scheduler_alive(
    fault: Fault,
) -> None:
    """It tells of each failed call, and goes on by itself when the store is back."""
    async with open_alone(lease=15, heartbeat=5) as alone:
        alone.scheduler.every("sync", "1m", nothing)
        await alone.until_seen(Success)
        alone.faults.always(fault)
        await anyio.sleep(1_000)
        state, errors = alone.scheduler.state, len(alone.seen(Error))
        alone.faults.clear()
        await alone.until_seen(Success, 2)

        assert State.RUNNING == state
        assert 20 < errors < 1_000


async def test_a_claim_that_was_answered_late_is_kept_alive_in_time() -> None:
    """However little is left of the lease, the first heartbeat comes before its end."""
    lefts: list[float] = []

    async def handler() -> None:
        for _ in range(40):
            [run] = (await alone.store.unfinished(["sync"])).runs
            lefts.append(run.left)
            await anyio.sleep(0.25)

    async with open_alone(lease=15, heartbeat=5) as alone:
        alone.scheduler.every("sync", "1m", handler)
        for _ in range(20):
            slot = alone.scheduler.next_slot("sync")
            alone.faults.always(FAIL_AFTER, "claim")
            await anyio.sleep(slot / 1000 + 11 - alone.clock.time())
            alone.faults.clear()
            await anyio.sleep(30)

        assert 20 == len(alone.seen(Success))
        assert 0 < min(lefts) < 1


class ForeignStore(MemoryLeaseStore):
    """Finds somebody else's data beside its own."""

    async def unfinished(self, jobs: Sequence[str]) -> Unfinished:
        """Report a key that can't be read."""
        read = await super().unfinished(jobs)
        return replace(read, unreadable=(("anarchon:{odd}", "not a hash"),))


class ForeignBackend(MemoryBackend):
    """A store that somebody else has written to."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[MemoryClaimStore]:
        """Open it."""
        yield ForeignStore(self._data)


async def test_foreign_data_in_the_store_is_told_with_its_key() -> None:
    """It is no reason not to start, and the jobs that can be read go on."""
    clock = VirtualClock()
    backend = ForeignBackend(clock=clock)
    async with open_alone(clock=clock, backend=backend, start=False) as alone:
        alone.scheduler.every("sync", "1m", nothing)
        await alone.scheduler.start()
        await alone.until_seen(Success, 2, within=130)

        error = alone.seen(Error)[0]
        assert ("unfinished", "anarchon:{odd}: not a hash") == (
            error.operation,
            error.error,
        )
