"""arq's cron jobs, on Redis.

A worker puts what is due within a second into a queue, under an id that makes it one,
and polls the queue twice a second.
"""

from datetime import UTC

from arq import cron
from arq.connections import RedisSettings
from arq.worker import Worker

from benchmarks.peers.program import (
    AT_ONCE,
    PERIOD,
    TICK,
    Work,
    ready,
    tick,
    work_from_command_line,
)

# the result of each run, in seconds, as the others keep theirs
KEPT = 3600


def worker_of(work: Work) -> Worker:
    """Return a worker with a daily cron job for each job."""
    due = work.due
    jobs = [
        cron(
            work.handler(name),
            name=name,
            hour=due.hour,
            minute=due.minute,
            second=due.second,
            microsecond=0,
            keep_result=KEPT,
        )
        for name in work.names
    ]
    if work.ticks:
        jobs.append(cron(tick, name=TICK, second=set(range(0, 60, PERIOD))))

    async def started(_: dict[str, object]) -> None:
        ready()

    async def stored(context: dict[str, object]) -> None:
        work.stored(str(context["job_id"]).partition(":")[0])

    return Worker(
        cron_jobs=jobs,
        redis_settings=RedisSettings.from_dsn(work.url),
        max_jobs=AT_ONCE,
        timezone=UTC,
        on_startup=started,
        after_job_end=stored,
    )


if __name__ == "__main__":
    # which runs until SIGTERM
    worker_of(work_from_command_line()).run()
