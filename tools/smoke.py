"""Run one job on an installed package that has its hard dependencies only."""

import anyio

import anarchon


async def main() -> None:
    """Wait until a job of the memory store has run."""
    ran = anyio.Event()

    async def handler() -> None:
        ran.set()

    async with anarchon.open_scheduler("memory://", jitter=0) as scheduler:
        scheduler.every("smoke", "100ms", handler)
        with anyio.fail_after(10):
            await ran.wait()


if __name__ == "__main__":
    anyio.run(main)
