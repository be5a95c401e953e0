"""How long after its slot a run starts, with 1,000 jobs spread over ten seconds.

Measured on the memory backend, without jitter, beside the floor of the same run: as
many bare tasks that sleep until the same instants. Run it by
``python benchmarks/latency.py [asyncio|trio]``.
"""

import statistics
import sys
import time

import anyio

import anarchon

JOBS = 1_000
PERIOD = 10
ROUNDS = 5


async def floor() -> list[float]:
    """Sleep in bare tasks until spread instants; return how late each woke."""
    late: list[float] = []
    begin = time.time() + 0.2

    async def task(due: float) -> None:
        await anyio.sleep(due - time.time())
        late.append(time.time() - due)

    async with anyio.create_task_group() as group:
        for number in range(JOBS):
            group.start_soon(task, begin + number * PERIOD / JOBS)
    return late


async def start_after_slot() -> list[float]:
    """Let each job run once at its own instant; return start minus slot."""
    late: list[float] = []
    all_started = anyio.Event()

    async def handler(ctx: anarchon.RunContext) -> None:
        late.append(time.time() - ctx.slot / 1000)
        if len(late) == JOBS:
            all_started.set()

    jobs = anarchon.Jobs()
    for number in range(JOBS):
        offset = number * PERIOD / JOBS
        jobs.every(f"job-{number}", PERIOD, handler, offset=offset)
    async with anarchon.open_scheduler("memory://", jobs=jobs, jitter=0, catch_up=0):
        with anyio.fail_after(60):
            await all_started.wait()
    return late[:JOBS]


def show(name: str, rounds: list[list[float]]) -> float:
    """Print the median over the rounds of some percentiles; return that of the 99th."""
    median, tail = (_percentiles(rounds, percent) for percent in (50, 99))
    print(f"{name:18s} p50 {_spread(median)}   p99 {_spread(tail)}")
    return statistics.median(tail)


def _percentiles(rounds: list[list[float]], percent: int) -> list[float]:
    return [statistics.quantiles(r, n=100)[percent - 1] * 1000 for r in rounds]


def _spread(values: list[float]) -> str:
    middle = statistics.median(values)
    return f"{middle:6.2f} ms ({min(values):.2f} to {max(values):.2f})"


async def main() -> None:
    """Alternate the two, and print medians and spread."""
    floors, measured = [], []
    for _ in range(ROUNDS):
        floors.append(await floor())
        measured.append(await start_after_slot())
    print(f"{JOBS} jobs over {PERIOD} s, {ROUNDS} rounds")
    show("bare sleep", floors)
    p99 = show("start minus slot", measured)
    print(f"goal: p99 <= 10 ms: {'met' if p99 <= 10 else 'missed'}")


if __name__ == "__main__":
    anyio.run(main, backend=sys.argv[1] if len(sys.argv) > 1 else "asyncio")
