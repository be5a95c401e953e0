"""One scheduler alone with its store: faults on the way, and all that happened."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar, Unpack, cast

import anyio

from anarchon.backends.memory import MemoryBackend
from anarchon.clock import Clock
from anarchon.events import EVENT_NAMES, Event
from anarchon.model import Overlap, Reason, RunRecord, Status
from anarchon.opening import open_scheduler
from anarchon.options import JobOptions
from anarchon.protocol import Claim, LeaseStore, Won
from anarchon.rules.durations import Duration
from anarchon.scheduler import Scheduler
from anarchon.testing.clocks import VirtualClock
from anarchon.testing.faults import Faults
from anarchon.testing.faulty import FaultyBackend
from anarchon.testing.journal import Journal

E = TypeVar("E", bound=Event)


class AloneOptions(JobOptions, total=False):
    """What the scheduler is opened with."""

    stop_timeout: Duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """A scheduler, its way to the store, the store itself, and what was told.

    ``clock`` is the scheduler's and the store's.
    """

    scheduler: Scheduler
    faults: Faults
    store: LeaseStore
    clock: Clock
    journal: Journal

    def seen(self, kind: type[E]) -> list[E]:
        """Return the events of a kind, oldest first."""
        return [entry.what for entry in self.journal.seen(kind)]

    def names(self) -> list[str]:
        """Return the names of all events, oldest first."""
        return [event.name for event in self.seen(Event)]

    async def until(
        self, condition: Callable[[], bool], *, within: float = 90.0
    ) -> None:
        """Wait for a condition; it is looked at whenever an event is told."""
        await self.journal.wait_for(condition, within=within)

    async def until_seen(
        self, kind: type[E], count: int = 1, *, within: float = 90.0
    ) -> E:
        """Wait for so many events of a kind; return the last of them."""
        await self.until(lambda: len(self.seen(kind)) >= count, within=within)
        return self.seen(kind)[count - 1]

    async def until_due(self, job: str = "sync", *, before: float = 0.001) -> int:
        """Sleep until so many seconds before a job's next slot; return the slot."""
        slot = self.scheduler.next_slot(job)
        await anyio.sleep(slot / 1000 - self.clock.time() - before)
        return slot

    async def history(self, job: str = "sync") -> list[RunRecord]:
        """Read a job's records from the store itself, newest first."""
        return await self.store.history(job, 100)

    async def statuses(self, job: str = "sync") -> list[Status]:
        """Read how a job's attempts stand, oldest first."""
        return [record.status for record in reversed(await self.history(job))]

    async def rival_wins(self, slot: int, attempt: int = 1, lease: float = 30.0) -> str:
        """Let instance B win an attempt of ``sync``; return its token."""
        claim = rival_claim(slot, attempt, lease)
        reply = await self.store.claim(claim)
        assert isinstance(reply, Won), reply
        return claim.token

    def token(self, slot: int) -> str:
        """Return the token with which the scheduler asked for a slot last."""
        asked = [
            arg
            for call in self.faults.log
            for arg in call.args
            if isinstance(arg, Claim) and arg.slot == slot
        ]
        return asked[-1].token


def rival_claim(slot: int, attempt: int = 1, lease: float = 30.0) -> Claim:
    """Return instance B's claim for an attempt of ``sync``."""
    return Claim(
        job="sync",
        slot=slot,
        token=f"b{slot}-{attempt}",
        attempt=attempt,
        instance_id="B",
        mode=Reason.SCHEDULED if attempt == 1 else Reason.TAKEOVER,
        lease=lease,
        overlap=Overlap.SKIP,
        max_attempts=3,
        limit=60.0,
        startable=300.0,
        keep=100,
        keep_for=90.0,
    )


@asynccontextmanager
async def open_alone(
    *,
    clock: Clock | None = None,
    leases: bool = True,
    backend: MemoryBackend | None = None,
    start: bool = True,
    **options: Unpack[AloneOptions],
) -> AsyncGenerator[Alone]:
    """Open scheduler A on a store in memory, without jitter and catch-up.

    A ``backend`` of the test's own should read the same ``clock``.
    """
    clock = VirtualClock() if clock is None else clock
    backend = backend or MemoryBackend(clock=clock, leases=leases)
    faults, journal = Faults(), Journal()
    settled: AloneOptions = {"jitter": 0, "catch_up": 0, **options}
    async with (
        backend.open() as store,
        open_scheduler(
            FaultyBackend(backend, faults),
            start=False,
            instance_id="A",
            clock=clock,
            **settled,
        ) as scheduler,
    ):
        for event in EVENT_NAMES:
            scheduler.on(event, lambda event: journal.write("A", event))
        if start:
            await scheduler.start()
        yield Alone(
            scheduler=scheduler,
            faults=faults,
            store=cast("LeaseStore", store),
            clock=clock,
            journal=journal,
        )
