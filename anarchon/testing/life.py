"""One life of a simulated instance: a scheduler from its start to its stop or crash.

Decides how a scheduler is run so that it can be killed and frozen. Must not know the
other instances, nor the scheduler but by its public names.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import anyio
from anyio.abc import TaskGroup, TaskStatus

from anarchon.events import EVENT_NAMES, Event
from anarchon.jobs import Jobs
from anarchon.opening import open_scheduler
from anarchon.options import JobOptions
from anarchon.protocol import Backend
from anarchon.rules.durations import Duration
from anarchon.scheduler import Scheduler
from anarchon.testing.clocks import GatedClock, VirtualClock
from anarchon.testing.faults import Faults
from anarchon.testing.faulty import FaultyBackend
from anarchon.testing.gate import Gate
from anarchon.testing.journal import Journal


class ClusterOptions(JobOptions, total=False):
    """What every scheduler of a cluster is opened with."""

    stop_timeout: Duration


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A handler in progress."""

    job: str
    slot: int
    attempt: int
    instance: str


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What the instances of a cluster share; ``nursery`` is also its network."""

    backend: Backend
    options: ClusterOptions
    nursery: TaskGroup
    journal: Journal


class Life:
    """A scheduler behind a gate.

    ``runs`` are the handlers in progress in it, ``frozen_runs`` those of all times that
    were frozen in their midst.
    """

    def __init__(
        self,
        name: str,
        jobs: Jobs,
        clock: VirtualClock,
        faults: Faults,
        world: World,
    ) -> None:
        self.gate: Gate = Gate()
        self.clock: GatedClock = GatedClock(clock, self.gate)
        self.runs: list[LiveRun] = []
        self.frozen_runs: set[LiveRun] = set()
        self._name = name
        self._jobs = jobs
        self._world = world
        self._backend = FaultyBackend(world.backend, faults, self.gate, world.nursery)
        self._scheduler: Scheduler | None = None
        self._scope = anyio.CancelScope()
        self._told_to_stop = anyio.Event()
        self._ended = anyio.Event()

    @property
    def alive(self) -> bool:
        """Whether the scheduler is up, or on its way up or down."""
        return not self.gate.cut and not self._ended.is_set()

    @property
    def scheduler(self) -> Scheduler:
        """The scheduler, once it has been started."""
        if self._scheduler is None:
            raise RuntimeError(f"instance {self._name} has not been started")
        return self._scheduler

    async def live(  # noqa: ASYNC910  a task's body
        self, *, task_status: TaskStatus[None]
    ) -> None:
        """Run the scheduler from start to stop; what follows a crash is kept quiet."""
        try:
            with self._scope:
                await self._serve(task_status)
        except Exception:
            if self.alive:
                raise
        finally:
            self._ended.set()
        if self._scheduler is None:
            # it crashed while it was starting, and somebody waits for it
            task_status.started()

    async def _serve(self, task_status: TaskStatus[None]) -> None:
        async with open_scheduler(
            self._backend,
            jobs=self._jobs,
            start=False,
            instance_id=self._name,
            clock=self.clock,
            **self._world.options,
        ) as scheduler:
            for event in EVENT_NAMES:
                scheduler.on(event, self._hear)
            await scheduler.start()
            self._scheduler = scheduler
            task_status.started()
            await self._told_to_stop.wait()
            await self.gate.hold()

    def _hear(self, event: Event) -> None:
        if not self.gate.cut:
            self._world.journal.write(self._name, event)

    async def stop(self) -> None:
        """Leave the scheduler's block, which stops it, and wait for its end."""
        self._told_to_stop.set()
        await self._ended.wait()

    def freeze(self) -> None:
        """Close the gate."""
        self.frozen_runs.update(self.runs)
        self.gate.freeze()

    def crash(self) -> None:
        """Cut everything off, then cancel whatever there is."""
        self.gate.kill()
        self.runs.clear()
        self._scope.cancel()

    @contextmanager
    def handling(self, run: LiveRun) -> Generator[None]:
        """Count a handler as live, until it ends or its instance crashes."""
        self.runs.append(run)
        self._world.journal.stir()
        try:
            yield
        finally:
            if run in self.runs:
                self.runs.remove(run)
            self._world.journal.stir()
