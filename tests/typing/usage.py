"""What type checkers must see in correct programs. Checked, never run."""

from datetime import datetime, timedelta
from typing import assert_type

import anarchon
from anarchon.events import Event, Takeover

jobs = anarchon.Jobs()


@jobs.every("plain", "10s", timeout=60, overlap="skip")
async def with_context(ctx: anarchon.RunContext) -> None:
    assert_type(ctx.job, str)
    assert_type(ctx.slot, int)
    assert_type(ctx.scheduled_at, datetime)
    assert_type(ctx.attempt, int)
    assert_type(ctx.fence, tuple[int, int] | None)
    assert_type(ctx.stopping, bool)
    with ctx.shield(5):
        pass


@jobs.cron("report", "0 8 * * 1-5", timezone="Europe/Athens", lease=timedelta(hours=1))
def without_context() -> int:
    return 1


# a decorator hands the function back as it was
assert_type(without_context(), int)

for job in jobs:
    assert_type(job, anarchon.Job)
    assert_type(job.name, str)


class EveryHour:
    """A schedule needs two methods and no base class."""

    def next_after(self, ms: int) -> int:
        return ms - ms % 3_600_000 + 3_600_000

    def latest_at(self, ms: int) -> int | None:
        return ms - ms % 3_600_000


def hear_takeover(event: Takeover) -> None:
    assert_type(event.from_instance, str | None)


def hear_any(event: Event) -> None:
    assert_type(event.at, datetime)


async def main() -> None:
    async with anarchon.open_scheduler(
        "memory://", jobs=jobs, lease="1m", stop_timeout=5, instance_id="a"
    ) as scheduler:
        assert_type(scheduler, anarchon.Scheduler)
        scheduler.every("direct", 10, with_context)
        scheduler.add(anarchon.Job("hourly", EveryHour(), without_context))
        assert_type(scheduler.remove("hourly"), bool)
        assert_type(await scheduler.run_now("direct"), anarchon.RunRecord)
        assert_type(await scheduler.history("direct"), list[anarchon.RunRecord])
        assert_type(await scheduler.last_run("direct"), anarchon.RunRecord | None)
        unsubscribe = scheduler.on("failure", lambda event: print(event.exception))
        unsubscribe()
        scheduler.on("takeover", hear_takeover)
        for name in ("success", "failure"):
            scheduler.on(name, hear_any)
        async with scheduler.events() as events:
            async for event in events:
                assert_type(event.instance_id, str)
        await scheduler.stop(timeout=1)
        await scheduler.start()
        await scheduler.serve()

    backend = anarchon.SqliteBackend("jobs.db", namespace="shop")
    async with anarchon.open_scheduler(backend, start=False) as idle:
        assert_type(idle.instance_id, str)
