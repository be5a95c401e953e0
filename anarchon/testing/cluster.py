"""A cluster in one loop: several instances on one store, on virtual time.

Decides who is there and what can be seen of them. What befalls one of them is decided
in ``instance``; schedulers are known by their public names alone.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from string import ascii_uppercase
from typing import TypeVar, Unpack, cast

import anyio

from anarchon.backends.memory import MemoryBackend
from anarchon.engine.context import RunContext
from anarchon.errors import InvalidOption
from anarchon.events import Event
from anarchon.jobs import Job, Registrar
from anarchon.model import RunRecord
from anarchon.protocol import Backend, ClaimStore
from anarchon.testing.clocks import VirtualClock
from anarchon.testing.instance import Instance
from anarchon.testing.journal import Entry, Journal
from anarchon.testing.life import ClusterOptions, LiveRun, World
from anarchon.testing.nursery import open_nursery

# leaving takes at most so much virtual time, whatever is stuck
LONGEST_END = 3_600.0

E = TypeVar("E", bound=Event)
Handler = Callable[[RunContext], Awaitable[object]]


class Cluster(Registrar):
    """Instances named A, B, C, ... on one store; ``cluster["A"]`` is one of them.

    It takes jobs as a scheduler does, and hands them to every instance that is started.
    ``store_clock`` is the store's own clock. ``clashes`` holds the pairs of handlers of
    one job that were at work at the same time, but for those that had been frozen
    before the second one started: only fencing can stop these.
    """

    def __init__(
        self, names: str, world: World, store: ClaimStore, store_clock: VirtualClock
    ) -> None:
        self.store_clock = store_clock
        self.clashes: list[tuple[LiveRun, LiveRun]] = []
        self._instances = {name: Instance(name, world) for name in names}
        self._world = world
        self._store = store

    def __getitem__(self, name: str) -> Instance:
        return self._instances[name]

    def __iter__(self) -> Iterator[Instance]:
        return iter(self._instances.values())

    def add(self, job: Job, *, on: Iterable[str] | None = None) -> None:
        """Declare a job on every instance, or ``on`` these, for their next start.

        Raises:
            DuplicateJob: there is one of this name.
            InvalidOption: its handler is a plain ``def``, which needs a thread, and no
                thread keeps to virtual time.
        """
        if not job.is_async:
            raise InvalidOption(
                f"a cluster is on virtual time, where no thread can work: the handler "
                f"of {job.name!r} must be an async def, not {job.handler!r}"
            )
        job = job.with_handler(self._seen_at_work(job))
        for name in self._instances if on is None else on:
            self[name].jobs.add(job)

    def work(self, seconds: float) -> Handler:
        """Return a handler that takes so long, by the clock of whoever runs it."""

        async def work(ctx: RunContext) -> None:
            await self[ctx.instance_id].sleep(seconds)

        return work

    async def start(self) -> None:  # noqa: ASYNC910  each start waits
        """Start every instance that isn't up, one after the other.

        Raises:
            BackendUnavailable: the store can't be reached from one of them.
        """
        for instance in self:
            await instance.start()

    async def stop(self) -> None:
        """Stop all instances gracefully, at once."""
        async with anyio.create_task_group() as stops:
            for instance in self:
                if instance.alive:
                    stops.start_soon(instance.stop)

    def crash(self) -> None:
        """Crash all instances at once."""
        for instance in self:
            if instance.alive:
                instance.crash()

    @property
    def now(self) -> float:
        """The loop's time, in seconds: the truth that no clock's step changes."""
        return anyio.current_time()

    @property
    def events(self) -> list[Entry[Event]]:
        """The events of all instances, oldest first."""
        return self.seen(Event)

    def seen(self, kind: type[E], *, on: str | None = None) -> list[Entry[E]]:
        """Return the events of a kind, of all instances or of one, oldest first."""
        return self._world.journal.seen(kind, on=on)

    def story(self) -> str:
        """Return all events, and all that was done to the instances, as text."""
        return self._world.journal.story()

    async def wait_for(self, condition: Callable[[], bool], *, within: float) -> None:
        """Wait until a condition holds; it is looked at whenever something happens.

        What happens is an event, a note, a handler's start or end.

        Raises:
            AssertionError: it didn't hold within so many seconds; tells the story.
        """
        await self._world.journal.wait_for(condition, within=within)

    async def history(self, job: str, limit: int = 100) -> list[RunRecord]:
        """Read a job's records from the store itself, newest first."""
        return await self._store.history(job, limit)

    def live_runs(self) -> list[LiveRun]:
        """Return the handlers in progress on instances that have not crashed."""
        return [run for instance in self for run in instance.runs]

    def runner(self, job: str) -> Instance:
        """Return the instance with the newest handler of a job in progress.

        Raises:
            LookupError: there is none.
        """
        runs = [run for run in self.live_runs() if run.job == job]
        if not runs:
            raise LookupError(f"no instance runs {job!r}:\n{self.story()}")
        return self[max(runs, key=lambda run: (run.slot, run.attempt)).instance]

    def _seen_at_work(self, job: Job) -> Handler:
        async def seen_at_work(ctx: RunContext) -> None:
            run = LiveRun(ctx.job, ctx.slot, ctx.attempt, ctx.instance_id)
            self._look_for_clashes(run)
            call = partial(job.handler, *((ctx,) if job.takes_context else ()))
            with self[ctx.instance_id].life.handling(run):
                await cast("Awaitable[object]", call())

        return seen_at_work

    def _look_for_clashes(self, run: LiveRun) -> None:
        for other in self.live_runs():
            awake = other not in self[other.instance].life.frozen_runs
            if awake and other.job == run.job:
                self.clashes.append((other, run))


@asynccontextmanager
async def open_cluster(
    *,
    instances: int = 3,
    jobs: Iterable[Job] = (),
    leases: bool = True,
    backend: Backend | None = None,
    store_clock: VirtualClock | None = None,
    **options: Unpack[ClusterOptions],
) -> AsyncGenerator[Cluster]:
    """Open a cluster of instances that are still to be started, on virtual time.

    Args:
        instances: how many there are.
        jobs: those of every instance; more can be added to the cluster.
        leases: whether the store keeps leases; without, it is claim-only.
        backend: the store instead of one in memory; it must work in the running loop.
        store_clock: the clock of that store.
        options: what every scheduler is opened with.

    At the end of the block every instance is thawed and stopped gracefully; after an
    error all of them crash, and the error comes out as it is.
    """
    clock = store_clock or VirtualClock()
    backend = backend or MemoryBackend(clock=clock, leases=leases)
    async with backend.open() as store, open_nursery() as nursery:
        world = World(
            backend=backend,
            options=options,
            nursery=nursery,
            journal=Journal(),
        )
        cluster = Cluster(ascii_uppercase[:instances], world, store, clock)
        for job in jobs:
            cluster.add(job)
        try:
            yield cluster
        except BaseException:
            cluster.crash()
            raise
        await _end(cluster)


async def _end(cluster: Cluster) -> None:
    for instance in cluster:
        if instance.frozen:
            instance.thaw()
    with anyio.fail_after(LONGEST_END):
        await cluster.stop()
