"""An instance with jobs whose runs never end by themselves: a program to be killed."""

import argparse
import signal
from pathlib import Path

import anyio

import anarchon
from benchmarks.instances.marks import Kind, Marker

DAY = 86_400


async def main(options: argparse.Namespace) -> None:
    """Hold each run whenever it is to be had, until SIGTERM; mark each attempt."""
    marker = Marker(options.log)

    async def hold(ctx: anarchon.RunContext) -> None:
        marker.mark(Kind.START, ctx.job)
        await anyio.sleep_forever()

    jobs = anarchon.Jobs()
    for number in range(options.jobs):
        jobs.every(f"held-{number}", DAY, hold, offset=options.at % DAY)
    async with anarchon.open_scheduler(
        options.url,
        jobs=jobs,
        lease=options.lease,
        heartbeat=options.heartbeat,
        jitter=0,
        # by default a run isn't tried again that has lost three runners
        max_attempts=1_000,
    ) as scheduler:
        print("ready", flush=True)
        await scheduler.serve(signals=(signal.SIGTERM,))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("--at", type=int, required=True, help="seconds since 1970 UTC")
    parser.add_argument("--lease", type=float, required=True)
    parser.add_argument("--heartbeat", type=float, required=True)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--instance", type=int, required=True)
    anyio.run(main, parser.parse_args())
