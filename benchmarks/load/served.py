"""The calls that instances made of a Redis server, and those that the server counted.

Decides what the instances do meanwhile: whatever makes calls.
"""

# redis brings few types
# pyright: reportUnknownMemberType=false

from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import product

import anyio
from redis.asyncio import Redis

import anarchon
from benchmarks.load.counting import Counted

INSTANCES = 3
JOBS = 20
PERIOD, JITTER = 1.0, 0.2
# longer than the jitter, so that there are backups
TAKES = 0.5
LEASE, HEARTBEAT = 3.0, 0.25
# connections are no calls, and what a job needs in Redis is made by its first claim
NO_CALL = {"open", "prepare"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The calls that were counted here, and the scripts that the server has run."""

    counted: int
    served: int


async def count_both(url: str, seconds: float) -> Served:
    """Let instances run jobs so long on an empty server, and count from the start."""
    calls, jobs = Counted(url), _jobs()
    async with AsyncExitStack() as stack:
        opened = [
            await stack.enter_async_context(
                anarchon.open_scheduler(
                    calls.backend,
                    jobs=jobs,
                    lease=LEASE,
                    heartbeat=HEARTBEAT,
                    jitter=JITTER,
                    catch_up=0,
                )
            )
            for _ in range(INSTANCES)
        ]
        await anyio.sleep(seconds)
        # so that no run is cut short at the end
        for scheduler, job in product(opened, jobs):
            scheduler.remove(job.name)
        await anyio.sleep(2 * TAKES)
    counted = sum(n for word, n in calls.calls().items() if word not in NO_CALL)
    return Served(counted=counted, served=await _scripts_run(url))


def _jobs() -> anarchon.Jobs:
    async def handler() -> None:
        await anyio.sleep(TAKES)

    jobs = anarchon.Jobs()
    for number in range(JOBS):
        jobs.every(f"job-{number}", PERIOD, handler, offset=number * PERIOD / JOBS)
    return jobs


async def _scripts_run(url: str) -> int:
    async with Redis.from_url(url.partition("?")[0]) as client:
        stats = await client.info("commandstats")
    by_number, by_text = stats["cmdstat_evalsha"], stats["cmdstat_eval"]
    # one that the server didn't know by its number was sent again by its text
    return int(by_number["calls"] - by_number["failed_calls"] + by_text["calls"])
