"""An asyncio program that ends while its scheduler runs in a task of its own."""

import asyncio
from pathlib import Path

import anarchon
from anarchon import RunRecord, Status


def test_end_of_the_loop_hands_over(tmp_path: Path) -> None:
    """``asyncio.run`` cancels all tasks at its end: to the scheduler that is a stop."""
    url = f"sqlite:///{tmp_path / 'jobs.db'}"
    began: list[str] = []

    async def handler(ctx: anarchon.RunContext) -> None:
        began.append(ctx.job)
        await asyncio.sleep(60)

    async def schedule() -> None:
        async with anarchon.open_scheduler(url, jitter=0, heartbeat=0.1) as scheduler:
            for number in range(3):
                scheduler.every(f"job{number}", 0.1, handler)
            await asyncio.sleep(60)

    async def program() -> asyncio.Task[None]:
        task = asyncio.create_task(schedule())
        while len(began) < 3:
            await asyncio.sleep(0.01)
        return task

    async def read() -> list[RunRecord]:
        async with anarchon.open_scheduler(url, start=False) as scheduler:
            return [record for job in began for record in await scheduler.history(job)]

    assert asyncio.run(program()).cancelled()
    records = asyncio.run(read())
    assert [(Status.INTERRUPTED, True)] * 3 == [
        (record.status, record.handed_over) for record in records
    ]
