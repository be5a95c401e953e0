"""What 10,000 jobs cost that have nothing to do: memory and CPU.

Memory is the growth of the process's own pages for each job; CPU is a share of one core
over forty seconds, more than a lease, beside an empty loop in the same run. Run it by
``python benchmarks/idle.py [asyncio|trio]``.
"""

import gc
import sys
import time
from pathlib import Path

import anyio

import anarchon

JOBS = 10_000
SECONDS = 40


def resident() -> int:
    """Return the bytes of memory that this process holds."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


async def share_of_a_core() -> float:
    """Return the CPU that this process uses while nothing is due, in percent."""
    began, cpu = time.perf_counter(), time.process_time()
    await anyio.sleep(SECONDS)
    return 100 * (time.process_time() - cpu) / (time.perf_counter() - began)


async def handler() -> None:
    """Do nothing."""


async def main() -> None:
    """Measure the empty loop, then the jobs."""
    floor = await share_of_a_core()
    async with anarchon.open_scheduler("memory://", catch_up=0) as scheduler:
        before = resident()
        for number in range(JOBS):
            scheduler.every(f"job-{number}", "1d", handler, offset=43_200)
        await anyio.sleep(3)
        each = (resident() - before) / JOBS
        idle = await share_of_a_core()
    print(f"{JOBS} idle jobs")
    met = "met" if each <= 10_240 else "missed"
    print(f"memory  {each:8.0f} bytes a job            goal: <= 10 KB: {met}")
    met = "met" if idle <= 1 else "missed"
    print(f"CPU     {idle:8.3f} % of a core (empty {floor:.3f} %)  goal: <= 1 %: {met}")


if __name__ == "__main__":
    anyio.run(main, backend=sys.argv[1] if len(sys.argv) > 1 else "asyncio")
