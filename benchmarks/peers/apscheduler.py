"""APScheduler 4, on its memory store or its PostgreSQL store.

A task for each job, since a task is one function there, prepared in the store with the
tables. The first instance adds the schedules, which all share by the store.
"""

import asyncio
from contextlib import AsyncExitStack

import anyio
from apscheduler import AsyncScheduler, ConflictPolicy, JobReleased
from apscheduler.datastores.sqlalchemy import SQLAlchemyDataStore
from apscheduler.eventbrokers.asyncpg import AsyncpgEventBroker
from apscheduler.triggers.interval import IntervalTrigger
from sqlalchemy.ext.asyncio import create_async_engine

from benchmarks.peers.program import (
    AT_ONCE,
    CONNECTIONS,
    PERIOD,
    TICK,
    Work,
    ready,
    tick,
    until_told_to_stop,
    work_from_command_line,
)

# the result of each run, in seconds, as the others keep theirs
KEPT = 3600


async def scheduler_on(url: str, stack: AsyncExitStack) -> AsyncScheduler:
    """Return a scheduler whose store is there, closed with the stack."""
    if url.startswith("memory:"):
        return AsyncScheduler(max_concurrent_jobs=AT_ONCE)
    address = url.replace("postgresql:", "postgresql+asyncpg:")
    engine = create_async_engine(address, pool_size=CONNECTIONS, max_overflow=0)
    stack.push_async_callback(engine.dispose)
    return AsyncScheduler(
        SQLAlchemyDataStore(engine),
        AsyncpgEventBroker.from_async_sqla_engine(engine),
        max_concurrent_jobs=AT_ONCE,
    )


async def run(job: str) -> None:
    """Be the handler of all tasks; instances find it by its name, so it stands here."""
    await WORK.run(job)


async def add_jobs(scheduler: AsyncScheduler, work: Work) -> None:
    """Add a daily schedule for each job, as fast as the store takes them."""

    async def add(name: str) -> None:
        async with at_once:
            await scheduler.add_schedule(
                name,
                IntervalTrigger(days=1, start_time=work.due),
                id=name,
                args=[name],
                conflict_policy=ConflictPolicy.replace,
                job_result_expiration_time=KEPT,
            )

    at_once = anyio.CapacityLimiter(CONNECTIONS)
    async with anyio.create_task_group() as group:
        for name in work.names:
            group.start_soon(add, name)
    if work.ticks:
        every = IntervalTrigger(seconds=PERIOD)
        await scheduler.add_schedule(TICK, every, id=TICK)


async def main(work: Work) -> None:
    """Run them until SIGTERM."""

    def tell(event: JobReleased) -> None:
        if event.scheduler_id == scheduler.identity:
            work.stored(event.task_id)

    async with AsyncExitStack() as stack:
        scheduler = await scheduler_on(work.url, stack)
        await stack.enter_async_context(scheduler)
        if work.instance == 0:
            for name in work.names:
                await scheduler.configure_task(name, func=run)
            await scheduler.configure_task(TICK, func=tick)
        if work.prepare:
            return
        if work.instance == 0:
            await add_jobs(scheduler, work)
        scheduler.subscribe(tell, JobReleased)
        await scheduler.start_in_background()
        ready()
        await until_told_to_stop()


if __name__ == "__main__":
    WORK = work_from_command_line()
    asyncio.run(main(WORK))
