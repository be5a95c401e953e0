"""How long 10,000 jobs take that are due in the same second, on the memory backend.

Measured from the slot to the start of the last handler, without jitter, beside the
floor of the same run: a bare nursery that starts as many tasks. Run it by
``python benchmarks/due_at_once.py [asyncio|trio]``.
"""

import statistics
import sys
import time

import anyio

import anarchon

JOBS = 10_000
ROUNDS = 5


async def floor() -> float:
    """Start as many bare tasks; return seconds to the last one's first step."""
    last = 0.0

    async def task() -> None:
        nonlocal last
        last = time.perf_counter()

    began = time.perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(JOBS):
            group.start_soon(task)
    return last - began


async def due_at_once() -> float:
    """Return seconds from the slot that all jobs share to the last start."""
    started = 0
    last = 0.0
    all_started = anyio.Event()

    async def handler() -> None:
        nonlocal started, last
        started += 1
        last = time.time()
        if started == JOBS:
            all_started.set()

    now = time.time()
    period = 3600
    offset = (int(now) + 4) % period
    jobs = anarchon.Jobs()
    for number in range(JOBS):
        jobs.every(f"job-{number}", period, handler, offset=offset)
    async with anarchon.open_scheduler(
        "memory://", jobs=jobs, jitter=0, catch_up=0
    ) as scheduler:
        slot = scheduler.next_slot("job-0") / 1000
        with anyio.fail_after(60):
            await all_started.wait()
    return last - slot


async def main() -> None:
    """Alternate the two, and print medians and spread."""
    floors, measured = [], []
    for _ in range(ROUNDS):
        floors.append(await floor())
        measured.append(await due_at_once())
    print(f"{sys.argv[1:] or ['asyncio']} {JOBS} jobs, {ROUNDS} rounds")
    for name, values in (("bare tasks", floors), ("last start", measured)):
        print(
            f"{name:12s} median {statistics.median(values):.3f} s "
            f"({min(values):.3f} to {max(values):.3f})"
        )
    print(f"ratio {statistics.median(measured) / statistics.median(floors):.1f}")
    met = "met" if statistics.median(measured) <= 1.0 else "missed"
    print(f"goal: last start <= 1.0 s: {met}")


if __name__ == "__main__":
    anyio.run(main, backend=sys.argv[1] if len(sys.argv) > 1 else "asyncio")
