"""The command line that all programs share, and what their jobs do.

Decides what a run does: it marks its start, sleeps as long as it is told, and marks its
end. Must not know any scheduler, and stands on the standard library alone.
"""

import argparse
import asyncio
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.marks import Kind, Marker


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one instance is told: so many ``jobs``, all due at one instant.

    ``at`` is in whole seconds since 1970 UTC, ``seconds`` is how long a run sleeps,
    ``instance`` which of them this is, from 0; ``url`` is that of the store.
    """

    url: str
    jobs: int
    at: int
    seconds: float
    instance: int
    marker: Marker

    @property
    def names(self) -> Sequence[str]:
        """The names of the jobs."""
        return [f"job-{number}" for number in range(self.jobs)]

    @property
    def due(self) -> datetime:
        """When all of them are due."""
        return datetime.fromtimestamp(self.at, UTC)

    async def run(self, job: str) -> None:
        """Be the handler of this job, on asyncio."""
        self.marker.mark(Kind.START, job)
        if self.seconds:
            await asyncio.sleep(self.seconds)
        self.marker.mark(Kind.END, job)

    def stored(self, job: str) -> None:
        """Tell that the end of a run of this job is kept in the store."""
        self.marker.mark(Kind.STORED, job)


def work_from_command_line() -> Work:
    """Return what this process was told to do."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("--at", type=int, required=True, help="seconds since 1970 UTC")
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--instance", type=int, default=0)
    parser.add_argument("--log", type=Path, required=True)
    options = parser.parse_args()
    return Work(
        url=options.url,
        jobs=options.jobs,
        at=options.at,
        seconds=options.seconds,
        instance=options.instance,
        marker=Marker(options.log),
    )


def ready() -> None:
    """Say that this instance is up."""
    print("ready", flush=True)


async def until_told_to_stop() -> None:
    """Return at SIGTERM, for programs whose scheduler doesn't listen to it."""
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    await told.wait()
