"""procrastinate's periodic tasks, on PostgreSQL.

A worker defers what is due, sharing a table that lets each be deferred once, and
executes what it fetches from the queue.
"""

import asyncio

from procrastinate import App, PsycopgConnector

from benchmarks.peers.program import (
    AT_ONCE,
    CONNECTIONS,
    PERIOD,
    TICK,
    Work,
    after,
    ready,
    work_from_command_line,
)


def app_of(work: Work) -> App:
    """Return the app with a daily task for each job; the sixth field has seconds."""
    app = App(
        connector=PsycopgConnector(
            conninfo=work.url, min_size=CONNECTIONS, max_size=CONNECTIONS
        )
    )
    due = work.due
    cron = f"{due.minute} {due.hour} * * * {due.second}"
    for name in work.names:
        app.periodic(cron=cron)(app.task(name=name)(work.handler(name)))
    if work.ticks:
        add_retries(app)
    after(app.job_manager, "finish_job", lambda job, **_: work.stored(job.task_name))
    return app


def add_retries(app: App) -> None:
    """Add what the documentation offers for lost runs, as the job that ticks."""

    async def retry(**_: object) -> None:
        for job in await app.job_manager.get_stalled_jobs():
            await app.job_manager.retry_job(job)

    task = app.task(name=TICK, queueing_lock=TICK)(retry)
    app.periodic(cron=f"* * * * * */{PERIOD}")(task)


async def main(work: Work) -> None:
    """Run them until SIGTERM, which its worker hears."""
    app = app_of(work)
    async with app.open_async():
        if work.prepare:
            await app.schema_manager.apply_schema_async()
            return
        ready()
        await app.run_worker_async(concurrency=AT_ONCE)


if __name__ == "__main__":
    asyncio.run(main(work_from_command_line()))
