"""Reading from the store what was recorded, as any program could."""

import anyio

import anarchon


def read_history(store: str, job: str) -> list[anarchon.RunRecord]:
    """Return a job's records, oldest first."""

    async def read() -> list[anarchon.RunRecord]:
        async with anarchon.open_scheduler(store, start=False) as scheduler:
            return await scheduler.history(job, 10_000)

    return list(reversed(anyio.run(read)))
