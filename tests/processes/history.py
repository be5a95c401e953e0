"""Reading from the store what was recorded, as any program could."""

import anyio

import anarchon
from tests.processes.backend import backend_of


def read_history(store: str, job: str) -> list[anarchon.RunRecord]:
    """Return a job's records, oldest first."""

    async def read() -> list[anarchon.RunRecord]:
        backend = backend_of(store)
        async with anarchon.open_scheduler(backend, start=False) as scheduler:
            return await scheduler.history(job, 10_000)

    return list(reversed(anyio.run(read)))
