"""Memory: it doesn't grow with the runs, and an idle job costs little."""

import gc
import time
import tracemalloc
import weakref

import anyio
import psutil
import pytest

from anarchon import MemoryBackend, RunContext, open_scheduler
from anarchon.events import Failure, Skip, Success
from anarchon.testing.clocks import VirtualClock

pytestmark = pytest.mark.anyio

RUNS = 100_000
JOBS = 1_000
KIB = 2**10
MIB = 2**20


async def nothing() -> None:
    """Do the job's work."""


async def fails() -> None:
    """Fail."""
    raise ValueError("no customers")


async def overlaps(ctx: RunContext) -> None:
    """Take longer than the job's interval."""
    await anyio.sleep(1.5)


def measured() -> tuple[int, int]:
    """Return how many objects there are, and the resident memory in bytes."""
    gc.collect()
    return len(gc.get_objects()), psutil.Process().memory_info().rss


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_a_hundred_thousand_runs_leave_nothing_behind(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Once history is full neither objects nor memory grow: no run is kept."""
    caplog.set_level("CRITICAL", "anarchon")
    ended, clock, began = 0, VirtualClock(), time.monotonic()

    def count(_: object) -> None:
        nonlocal ended
        ended += 1

    async with open_scheduler(
        MemoryBackend(clock=clock),
        clock=clock,
        catch_up=0,
        keep=10,
        lease=9,
        heartbeat=3,
    ) as scheduler:
        for kind in (Success, Failure, Skip):
            scheduler.on(kind.name, count)
        for number in range(200):
            scheduler.every(f"quick {number}", "1s", nothing)
        for number in range(20):
            scheduler.every(f"bounded {number}", "1s", nothing, timeout="1h")
            scheduler.every(f"fails {number}", "1s", fails)
        scheduler.every("overlaps", "1s", overlaps)
        while ended < RUNS // 2:
            await anyio.sleep(1)
        objects, memory = measured()
        while ended < RUNS:
            await anyio.sleep(1)
        more_objects, more_memory = measured()

    print(f"{ended} ends in {time.monotonic() - began:.1f} s:", end=" ")
    print(f"{objects} objects, then {more_objects};", end=" ")
    print(f"{memory / MIB:.1f} MiB, then {more_memory / MIB:.1f} MiB")
    assert more_objects - objects < 2_000
    assert more_memory - memory < 4 * MIB


async def test_jobs_that_came_and_went_leave_nothing_behind() -> None:
    """Of a job that was removed nothing waits for the slot that it had."""
    clock = VirtualClock()
    handlers: list[weakref.ref[object]] = []
    async with open_scheduler(MemoryBackend(clock=clock), clock=clock) as scheduler:
        scheduler.every("stays", "1d", nothing)
        for number in range(JOBS):

            async def handler() -> None:
                """Do the job's work."""

            handlers.append(weakref.ref(handler))
            scheduler.every(f"job {number}", "1d", handler)
            del handler
            if number % 10 == 9:
                await anyio.sleep(1)
                for name in range(number - 9, number + 1):
                    assert scheduler.remove(f"job {name}")
        await anyio.sleep(10)
        gc.collect()

        assert sum(handler() is not None for handler in handlers) < JOBS / 20


async def test_an_idle_job_costs_little_memory() -> None:
    """At most 10 KiB, with its schedule and its timer."""
    clock = VirtualClock()
    async with open_scheduler(MemoryBackend(clock=clock), clock=clock) as scheduler:
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            for number in range(JOBS):
                scheduler.cron(f"job {number}", f"{number % 60} 3 * * *", nothing)
            await anyio.sleep(10)
            gc.collect()
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    each = (after - before) / JOBS
    print(f"{each / KIB:.1f} KiB for each idle job")
    assert each < 10 * KIB
