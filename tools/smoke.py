"""Use an installed package that has its hard dependencies only."""

import anyio

import anarchon


async def run_a_job() -> None:
    """Wait until a job of the memory store has run."""
    ran = anyio.Event()

    async def handler() -> None:
        ran.set()

    async with anarchon.open_scheduler("memory://", jitter=0) as scheduler:
        scheduler.every("smoke", "100ms", handler)
        with anyio.fail_after(10):
            await ran.wait()


async def miss_a_driver() -> None:
    """Be told which extra to install."""
    try:
        async with anarchon.open_scheduler("sqlite:///jobs.db"):
            raise SystemExit("a driver is installed that shouldn't be")
    except anarchon.InvalidOption as error:
        if "anarchon[sqlite]" not in str(error):
            raise


if __name__ == "__main__":
    anyio.run(run_a_job)
    anyio.run(miss_a_driver)
