"""What jobs cost that have nothing to do: so many, for so many seconds.

Decides what idle means: no slot is due for half a day, and the look-out for runs that
nobody watches goes on. Prints how many bytes of memory the process had before the jobs
came, how many after, and the share of a core that it used since, in percent.
"""

import json
import sys
import time

import anyio

import anarchon
from benchmarks.process.memory import private_bytes

DAY = 86_400
SETTLES_WITHIN = 5.0


async def handler() -> None:
    """Do nothing; it isn't called."""


async def main(jobs: int, seconds: float) -> None:
    """Measure and print."""
    async with anarchon.open_scheduler("memory://", catch_up=0) as scheduler:
        await anyio.sleep(1)
        before = private_bytes()
        offset = int(time.time() + DAY / 2) % DAY
        for number in range(jobs):
            scheduler.every(f"job-{number}", DAY, handler, offset=offset)
        await anyio.sleep(min(seconds, SETTLES_WITHIN))
        began, cpu = time.perf_counter(), time.process_time()
        await anyio.sleep(seconds)
        spent = time.process_time() - cpu
        share = 100 * spent / (time.perf_counter() - began)
        print(json.dumps([before, private_bytes(), share]))


if __name__ == "__main__":
    anyio.run(main, int(sys.argv[1]), float(sys.argv[2]))
