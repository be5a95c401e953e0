"""What lives as long as the scheduler does, across its starts and stops.

Decides who this instance is and which of its handlers still go on. Knows no store.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypedDict

import anyio
from anyio.abc import TaskGroup

from anarchon.bus import EventBus
from anarchon.clock import Clock
from anarchon.events import Event

if TYPE_CHECKING:
    from anarchon.engine.run import Run

# handlers that are plain functions share so many threads, apart from the host's own
MAX_THREADS = 40


class Stamp(TypedDict):
    """What every event begins with."""

    instance_id: str
    at: datetime


class Instance:
    """One running scheduler: its identity, clock, listeners, nursery and handlers.

    ``fatal`` is what a handler raised to bring the scheduler down; ``left`` says that
    the block of the scheduler is being left, so that nothing can start any more.
    """

    def __init__(
        self, *, instance_id: str, clock: Clock, bus: EventBus, stop_timeout: float
    ) -> None:
        self.instance_id = instance_id
        self.clock = clock
        self.bus = bus
        self.stop_timeout = stop_timeout
        self.threads: anyio.CapacityLimiter = anyio.CapacityLimiter(MAX_THREADS)
        self.fatal: BaseException | None = None
        self.left = False
        self._nursery: TaskGroup | None = None
        self._runs: dict[str, set[Run]] = {}

    @property
    def nursery(self) -> TaskGroup:
        """The nursery of the ``open_scheduler`` block, in which every task lives."""
        if self._nursery is None:
            raise RuntimeError("the scheduler's block is not open")
        return self._nursery

    @nursery.setter
    def nursery(self, nursery: TaskGroup) -> None:
        self._nursery = nursery

    def stamp(self) -> Stamp:
        """Return who and when, for an event that happens now."""
        at = datetime.fromtimestamp(self.clock.time(), UTC)
        return {"instance_id": self.instance_id, "at": at}

    def tell(self, event: Event) -> None:
        """Hand an event to its listeners."""
        self.bus.emit(event)

    def die(self, fatal: BaseException) -> None:
        """Bring the scheduler down, for a handler's KeyboardInterrupt or SystemExit."""
        self.fatal = fatal
        self.nursery.cancel_scope.cancel()

    def add(self, run: "Run") -> None:
        """Count a run as going on in this instance."""
        self._runs.setdefault(run.job.name, set()).add(run)

    def discard(self, run: "Run") -> None:
        """Forget a run whose handler has ended."""
        runs = self._runs[run.job.name]
        runs.discard(run)
        if not runs:
            del self._runs[run.job.name]

    def runs(self) -> Iterator["Run"]:
        """Iterate over all runs that go on here."""
        for runs in tuple(self._runs.values()):
            yield from tuple(runs)

    def runs_of(self, job: str) -> tuple["Run", ...]:
        """Return the runs of one job whose handlers have not ended here."""
        return tuple(self._runs.get(job, ()))

    def is_running(self, job: str, slot: int) -> bool:
        """Whether a handler of this run, of any attempt, still goes on here."""
        return any(not run.manual and run.slot == slot for run in self.runs_of(job))

    def is_stuck(self, job: str) -> bool:
        """Whether a handler of this job goes on that forbids further claims.

        It was told to end, or has lost contact with the store.
        """
        return any(run.in_the_way for run in self.runs_of(job))
