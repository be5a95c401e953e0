"""The command line that all programs share, and what their jobs do.

Decides what a run does: it marks its start, sleeps as long as it is told, and marks its
end. Must not know any scheduler, and stands on the standard library alone.
"""

import argparse
import asyncio
import functools
import signal
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.instances.marks import Kind, Marker

# the same for all: how many runs an instance has at once, and connections to a store
AT_ONCE = 100
CONNECTIONS = 10
# the job that is due all the time, and its period in seconds
TICK = "tick"
PERIOD = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one instance is told: so many ``jobs``, all due at one instant.

    ``at`` is in whole seconds since 1970 UTC, ``seconds`` is how long a run sleeps,
    ``instance`` which of them this is, from 0; ``url`` is that of the store. One that
    is to ``prepare`` makes the tables, where a package wants that done once, and ends.
    With ``ticks`` there is one more job, which is due all the time, and does nothing:
    some packages look for lost runs only when something is due.
    """

    url: str
    jobs: int
    at: int
    seconds: float
    instance: int
    prepare: bool
    ticks: bool
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

    def handler(self, job: str) -> Callable[..., Coroutine[object, object, None]]:
        """Return a handler of this job, for whatever arguments a package passes."""

        async def handler(*_: object, **__: object) -> None:
            await self.run(job)

        handler.__name__ = handler.__qualname__ = job
        return handler

    def stored(self, job: str) -> None:
        """Tell that the end of a run of this job is kept in the store."""
        if job != TICK:
            self.marker.mark(Kind.STORED, job)


async def tick(*_: object, **__: object) -> None:
    """Be the handler of the job that is due all the time."""


def work_from_command_line() -> Work:
    """Return what this process was told to do."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("--at", type=int, required=True, help="seconds since 1970 UTC")
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--instance", type=int, default=0)
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--ticks", action="store_true")
    parser.add_argument("--log", type=Path, required=True)
    options = parser.parse_args()
    return Work(
        url=options.url,
        jobs=options.jobs,
        at=options.at,
        seconds=options.seconds,
        instance=options.instance,
        prepare=options.prepare,
        ticks=options.ticks,
        marker=Marker(options.log),
    )


def ready() -> None:
    """Say that this instance is up."""
    print("ready", flush=True)


def after(holder: object, method: str, tell: Callable[..., None]) -> None:
    """Let this coroutine method of an object tell of its arguments once it is done.

    For packages that say of no run that its end is stored: of the call that stores it.
    """
    call = getattr(holder, method)

    @functools.wraps(call)
    async def told(*args: object, **kwargs: object) -> object:
        result = await call(*args, **kwargs)
        tell(*args, **kwargs)
        return result

    setattr(holder, method, told)


async def until_told_to_stop() -> None:
    """Return at SIGTERM, for programs whose scheduler doesn't listen to it."""
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    await told.wait()
