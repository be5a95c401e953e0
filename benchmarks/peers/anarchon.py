"""anarchon itself, on any backend.

Without jitter, which exists to spread what is due at one instant; all else as it comes.
"""

import asyncio
import signal

import anarchon
from benchmarks.peers.program import (
    PERIOD,
    TICK,
    Work,
    ready,
    tick,
    work_from_command_line,
)

DAY = 86_400


def jobs_of(work: Work) -> anarchon.Jobs:
    """Return the jobs: daily ones, which are due at that second of the day."""

    async def handler(ctx: anarchon.RunContext) -> None:
        await work.run(ctx.job)

    jobs = anarchon.Jobs()
    for name in work.names:
        jobs.every(name, DAY, handler, offset=work.at % DAY)
    if work.ticks:
        jobs.every(TICK, PERIOD, tick)
    return jobs


async def main(work: Work) -> None:
    """Run them until SIGTERM."""
    jobs = jobs_of(work)
    async with anarchon.open_scheduler(work.url, jobs=jobs, jitter=0) as scheduler:
        scheduler.on("success", lambda event: work.stored(event.job))
        ready()
        await scheduler.serve(signals=(signal.SIGTERM,))


if __name__ == "__main__":
    asyncio.run(main(work_from_command_line()))
