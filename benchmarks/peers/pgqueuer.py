"""PgQueuer's schedules, on PostgreSQL.

An instance takes all schedules that are due in one statement, runs them at once, and
releases each in a statement of its own.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import asyncpg  # type: ignore[import-untyped]
import pgqueuer
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

from benchmarks.peers.program import (
    CONNECTIONS,
    PERIOD,
    TICK,
    Work,
    after,
    ready,
    tick,
    work_from_command_line,
)


@asynccontextmanager
async def manager_of(work: Work) -> AsyncGenerator[PgQueuer]:
    """Open a manager with a daily schedule for each job; the last field has seconds."""
    due = work.due
    cron = f"{due.minute} {due.hour} * * * {due.second}"
    async with asyncpg.create_pool(
        work.url, min_size=CONNECTIONS, max_size=CONNECTIONS
    ) as pool:
        manager = PgQueuer.from_asyncpg_pool(pool)
        for name in work.names:
            manager.schedule(name, cron)(work.handler(name))
        if work.ticks:
            manager.schedule(TICK, f"* * * * * */{PERIOD}")(tick)
        after(manager.sm, "dispatch", lambda _, run: work.stored(run.entrypoint))
        ready()
        yield manager


async def install(work: Work) -> None:
    """Make its tables."""
    connection = await asyncpg.connect(work.url)
    await Queries(AsyncpgDriver(connection)).install()
    await connection.close()


async def main(work: Work) -> None:
    """Run them until SIGTERM, which its supervisor hears."""
    if work.prepare:
        await install(work)
    else:
        await pgqueuer.run(lambda: manager_of(work))


if __name__ == "__main__":
    asyncio.run(main(work_from_command_line()))
