"""Whether memory grows with the runs: ``python -m benchmarks.process.endurance RUNS``.

Decides how so many runs are had: 200 jobs, due each second of virtual time, on memory.
Prints how many bytes of memory the process had before any, and after each tenth.
"""

import json
import sys

import anyio

import anarchon
from anarchon.testing import VirtualClock, run_virtual
from benchmarks.process.memory import private_bytes

JOBS = 200
POINTS = 10


async def handler() -> None:
    """Do nothing, at once."""


async def main(runs: int) -> None:
    """Measure and print."""
    ended, clock = 0, VirtualClock()

    def count(_: object) -> None:
        nonlocal ended
        ended += 1

    found: list[int] = []
    backend = anarchon.MemoryBackend(clock=clock)
    async with anarchon.open_scheduler(
        backend, clock=clock, jitter=0, catch_up=0, keep=10
    ) as scheduler:
        scheduler.on("success", count)
        for number in range(JOBS):
            scheduler.every(f"job-{number}", "1s", handler)
        for point in range(POINTS + 1):
            while ended < runs * point / POINTS:  # noqa: ASYNC110  virtual time
                await anyio.sleep(1)
            found.append(private_bytes())
    print(json.dumps(found))


if __name__ == "__main__":
    run_virtual(main, int(sys.argv[1]), loop="asyncio")
