"""taskiq's scheduler and its worker, on Redis.

The scheduler sends what is due to a stream, from which the workers take. There must be
one scheduler only, so it is in the first instance; cron is to the minute there, so each
job is scheduled for one time.
"""

import asyncio

from taskiq import TaskiqMessage, TaskiqMiddleware, TaskiqResult, TaskiqScheduler
from taskiq.api import run_scheduler_task
from taskiq.receiver import Receiver
from taskiq.schedule_sources import LabelScheduleSource
from taskiq_redis import RedisAsyncResultBackend, RedisStreamBroker

from benchmarks.peers.program import (
    AT_ONCE,
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


class Tell(TaskiqMiddleware):
    """Tells of each result that was saved."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self._work = work

    def post_save(self, message: TaskiqMessage, _: TaskiqResult[None]) -> None:
        """Tell of this one."""
        self._work.stored(message.task_name)


def broker_of(work: Work) -> RedisStreamBroker:
    """Return a broker with a task for each job."""
    results = RedisAsyncResultBackend(work.url, result_ex_time=KEPT)
    broker = RedisStreamBroker(work.url).with_result_backend(results)
    broker.add_middlewares(Tell(work))
    for name in work.names:
        broker.register_task(
            work.handler(name), task_name=name, schedule=[{"time": work.due}]
        )
    if work.ticks:
        broker.register_task(tick, task_name=TICK, schedule=[{"interval": PERIOD}])
    return broker


async def main(work: Work) -> None:
    """Run them until SIGTERM; as in its own worker, what runs then comes to its end."""
    broker = broker_of(work)
    broker.is_worker_process = True
    finish = asyncio.Event()
    receiver = Receiver(broker, max_async_tasks=AT_ONCE)
    receiving = asyncio.create_task(receiver.listen(finish))
    scheduling = asyncio.create_task(schedule(broker, work))
    ready()
    await until_told_to_stop()
    finish.set()
    scheduling.cancel()
    await asyncio.gather(receiving, scheduling, return_exceptions=True)
    await broker.shutdown()


async def schedule(broker: RedisStreamBroker, work: Work) -> None:
    """Be the one scheduler, if this is the first instance."""
    if work.instance == 0:
        scheduler = TaskiqScheduler(broker, [LabelScheduleSource(broker)])
        await run_scheduler_task(scheduler)


if __name__ == "__main__":
    asyncio.run(main(work_from_command_line()))
