"""One job of the store under test, spoken to in few words.

Decides the values that a test doesn't name. Must not know what any answer should be.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Self, TypedDict, TypeVar, TypeVarTuple, Unpack, cast

from anarchon.bridge import Bridge
from anarchon.connecting import connected
from anarchon.model import End, Overlap, Reason, RunRecord, Status
from anarchon.protocol import (
    Answer,
    Backend,
    Claim,
    ClaimReply,
    ClaimStore,
    LeaseStore,
    Unfinished,
    Won,
)
from anarchon.testing.conformance.clock import SLOT, ManualClock

LEASE = 30.0
LIMIT = 60.0
STARTABLE = 300.0
KEEP_FOR = 90.0

START = datetime.fromtimestamp(SLOT / 1000, UTC)

DONE = End(status=Status.SUCCESS, duration=1.5)

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Changes(TypedDict, total=False):
    """What a test may ask for in a claim, other than the usual."""

    instance_id: str
    mode: Reason
    lease: float
    overlap: Overlap
    max_attempts: int
    limit: float
    startable: float
    keep: int
    keep_for: float


class Facts(TypedDict, total=False):
    """What a test may expect of a record, other than an attempt that has just begun."""

    attempt: int
    status: Status
    reason: Reason
    manual: bool
    started_at: datetime
    ended_at: datetime
    duration: float
    error: str
    handed_over: bool


class Link:
    """An open store, called over the bridge, as the engine calls it."""

    def __init__(self, bridge: Bridge, store: ClaimStore) -> None:
        self._bridge = bridge
        self.store = store

    async def call(self, operation: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> T:
        """Carry out one operation; its answer beats a cancellation."""
        return await self._bridge.call(operation, *args, bound=10.0, keep=True)


@asynccontextmanager
async def linked(backend: Backend) -> AsyncGenerator[Link]:
    """Open a backend's store over the bridge that the running loop asks for."""
    async with connected(backend) as (bridge, store):
        yield Link(bridge, store)


class Probe:
    """A job of any store. Token ``"a"`` is of instance ``"A"``, and so on."""

    def __init__(
        self,
        link: Link,
        clock: ManualClock,
        name: str = "job",
        *,
        tells_time: bool = True,
    ) -> None:
        self.name = name
        self._tells_time = tells_time
        self._link = link
        self._clock = clock
        self._store = link.store

    def named(self, name: str) -> Self:
        """Return another job of the same store."""
        return type(self)(self._link, self._clock, name, tells_time=self._tells_time)

    @property
    def now(self) -> int | None:
        """The store's time as every reply has it; ``None`` where none is told."""
        return self._clock.ms if self._tells_time else None

    async def time(self) -> int | None:
        """Read the store's clock."""
        return await self._link.call(self._store.time)

    async def prepare(self, *others: str) -> None:
        """Prepare this job, and others with it."""
        await self._link.call(self._store.prepare, [self.name, *others])

    async def claim(
        self,
        token: str,
        slot: int = SLOT,
        attempt: int = 1,
        **changes: Unpack[Changes],
    ) -> ClaimReply:
        """Claim an attempt, the first if none is named, in the mode ``scheduled``."""
        claim = Claim(
            job=self.name,
            slot=slot,
            token=token,
            attempt=attempt,
            instance_id=token.upper(),
            mode=Reason.SCHEDULED,
            lease=LEASE,
            overlap=Overlap.SKIP,
            max_attempts=3,
            limit=LIMIT,
            startable=STARTABLE,
            keep=100,
            keep_for=KEEP_FOR,
        )
        return await self._link.call(self._store.claim, replace(claim, **changes))

    async def finish(self, token: str, slot: int = SLOT, end: End = DONE) -> Answer:
        """End an attempt, with success if no other end is named."""
        return await self._link.call(self._store.finish, self.name, slot, token, end)

    async def run(
        self, token: str, slot: int = SLOT, **changes: Unpack[Changes]
    ) -> None:
        """Win a first attempt and finish it with success at once."""
        assert isinstance(await self.claim(token, slot, **changes), Won)
        assert (await self.finish(token, slot)).accepted

    async def record(self, record: RunRecord, token: str, keep: int = 100) -> None:
        """Add the record of a manual run."""
        await self._link.call(self._store.record, record, token, keep)

    async def history(self, limit: int = 1_000) -> list[RunRecord]:
        """Read the job's records."""
        return await self._link.call(self._store.history, self.name, limit)

    def record_of(
        self, token: str, slot: int = SLOT, **facts: Unpack[Facts]
    ) -> RunRecord:
        """Return a record: a first attempt that runs since ``START``, but for facts."""
        record = RunRecord(
            job=self.name,
            slot=slot,
            attempt=1,
            status=Status.RUNNING,
            reason=Reason.SCHEDULED,
            manual=False,
            instance_id=token.upper(),
            started_at=START,
        )
        return replace(record, **facts)

    def success_of(
        self, token: str, slot: int = SLOT, **facts: Unpack[Facts]
    ) -> RunRecord:
        """Return such a record that ended with ``DONE``, at ``START`` as well."""
        facts.setdefault("ended_at", START)
        record = self.record_of(token, slot, **facts)
        return replace(record, status=DONE.status, duration=DONE.duration)


class LeaseProbe(Probe):
    """A job of a lease store."""

    @property
    def _leases(self) -> LeaseStore:
        return cast("LeaseStore", self._store)

    async def take_over(
        self,
        token: str,
        attempt: int,
        slot: int = SLOT,
        **changes: Unpack[Changes],
    ) -> ClaimReply:
        """Claim an attempt as a backup does."""
        changes["mode"] = Reason.TAKEOVER
        return await self.claim(token, slot, attempt, **changes)

    async def heartbeat(
        self, token: str, slot: int = SLOT, lease: float = LEASE
    ) -> Answer:
        """Push the lease's end forward."""
        beat = self._leases.heartbeat
        return await self._link.call(beat, self.name, slot, token, lease)

    async def release(self, token: str, slot: int = SLOT) -> Answer:
        """Hand the run over."""
        return await self._link.call(self._leases.release, self.name, slot, token)

    async def unfinished(self, *others: str) -> Unfinished:
        """Read the unfinished runs of this job, and of others with it."""
        names: Sequence[str] = [self.name, *others]
        return await self._link.call(self._leases.unfinished, names)
