"""How often instances call their store, counted on virtual time.

Decides how many jobs there are and for how long they are watched. All instances live in
one loop on one memory store; what they ask of it is what they would ask of any. Chance
is the same each time, and so are the counts.
"""

import random
from collections.abc import Mapping
from contextlib import AsyncExitStack

import anyio

import anarchon
from anarchon.backends.memory import MemoryBackend
from anarchon.testing import VirtualClock, run_virtual
from benchmarks.load.counting import Counted

JOBS = 100
MINUTE, DAY = 60.0, 86_400.0
# whatever a start asks once is over by then
SETTLED = 120.0
# what follows a run: the jitter before it, and the last look of its backups
AFTER = 60.0
# what is asked whether there are runs or not
IDLE = {"unfinished", "time"}


def calls_of_a_run(instances: int, takes: float) -> Mapping[str, float]:
    """Return the calls for each run that takes so many seconds, by their word.

    Each job runs once, and all of them within a minute.
    """
    jobs = _jobs(SETTLED, MINUTE / JOBS, takes)
    calls = _calls(instances, jobs, MINUTE + takes + AFTER)
    return {word: calls[word] / JOBS for word in calls if word not in IDLE}


def calls_of_idle_instances(instances: int, minutes: int) -> float:
    """Return the calls of a minute in which no job is due."""
    jobs = _jobs(DAY / 2, 0.0, 0.0)
    return sum(_calls(instances, jobs, minutes * MINUTE).values()) / minutes


def _jobs(first: float, apart: float, takes: float) -> anarchon.Jobs:
    async def handler() -> None:
        await anyio.sleep(takes)

    jobs = anarchon.Jobs()
    for number in range(JOBS):
        # virtual time begins at midnight
        jobs.every(f"job-{number}", DAY, handler, offset=first + number * apart)
    return jobs


def _calls(instances: int, jobs: anarchon.Jobs, seconds: float) -> Mapping[str, int]:
    random.seed(0)
    return run_virtual(_watch, instances, jobs, seconds, loop="asyncio")


async def _watch(
    instances: int, jobs: anarchon.Jobs, seconds: float
) -> Mapping[str, int]:
    clock = VirtualClock()
    counted = Counted(MemoryBackend(clock=clock))
    async with AsyncExitStack() as stack:
        for _ in range(instances):
            scheduler = anarchon.open_scheduler(
                counted.backend, jobs=jobs, clock=clock, catch_up=0
            )
            await stack.enter_async_context(scheduler)
        await anyio.sleep(SETTLED - anyio.current_time())
        before = counted.calls()
        await anyio.sleep(seconds)
        return counted.calls() - before
