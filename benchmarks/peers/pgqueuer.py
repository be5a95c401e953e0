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
from pgqueuer.models import Schedule
from pgqueuer.queries import Queries

from benchmarks.peers.program import (
    CONNECTIONS,
    Work,
    after,
    ready,
    work_from_command_line,
)

EVERY_FIVE_SECONDS = "* * * * * */5"


async def tick(_: object) -> None:
    """Do nothing; but when this is due, lost runs are looked for."""


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
            manager.schedule("tick", EVERY_FIVE_SECONDS)(tick)

        def tell(_: object, run: Schedule) -> None:
            if run.entrypoint in work.names:
                work.stored(run.entrypoint)

        after(manager.sm, "dispatch", tell)
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
