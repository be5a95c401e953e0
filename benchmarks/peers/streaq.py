"""streaQ's cron jobs, on Redis.

A worker moves what is due from a sorted set to a stream, twice a second, and takes from
the stream what it runs.
"""

import anyio
from streaq import Worker

from benchmarks.peers.program import (
    AT_ONCE,
    PERIOD,
    TICK,
    Work,
    after,
    ready,
    tick,
    work_from_command_line,
)


def worker_of(work: Work) -> Worker[None]:
    """Return a worker with a daily cron job for each; the first field has seconds."""
    worker = Worker(redis_url=work.url, concurrency=AT_ONCE)
    due = work.due
    for name in work.names:
        tab = f"{due.second} {due.minute} {due.hour} * * * *"
        worker.cron(tab, name=name)(work.handler(name))
    if work.ticks:
        worker.cron(f"*/{PERIOD} * * * * * *", name=TICK)(tick)
    after(worker, "finish_task", lambda *_, fn_name, **__: work.stored(fn_name))
    return worker


async def main(work: Work) -> None:
    """Run them until SIGTERM, which its worker hears."""
    worker = worker_of(work)
    async with anyio.create_task_group() as group:
        await group.start(worker.run_async)
        ready()


if __name__ == "__main__":
    anyio.run(main, work_from_command_line())
