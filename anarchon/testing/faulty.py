"""A backend with faults: every call to the store goes through them.

Decides nothing but which call is which. Must not know the store behind.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import cast

import anyio
import anyio.lowlevel
from anyio.abc import TaskGroup

from anarchon.bridge import Bridge
from anarchon.errors import BackendUnavailable
from anarchon.model import End, RunRecord
from anarchon.protocol import (
    Answer,
    Backend,
    Claim,
    ClaimReply,
    ClaimStore,
    LeaseStore,
    Unfinished,
)
from anarchon.testing.faults import Faults
from anarchon.testing.gate import Gate
from anarchon.testing.nursery import open_nursery
from anarchon.testing.wire import Wire


class FaultyBackend:
    """Any backend, seen through ``faults``.

    ``gate`` freezes and kills it: while frozen neither requests nor replies get through
    and no cancellation is noticed. ``network`` carries what is delayed; without it,
    that ends when the store is closed.
    """

    def __init__(
        self,
        inner: Backend,
        faults: Faults,
        gate: Gate | None = None,
        network: TaskGroup | None = None,
    ) -> None:
        self._inner = inner
        self._faults = faults
        self._gate = gate or Gate()
        self._network = network

    @property
    def name(self) -> str:
        """The name of the backend inside."""
        return self._inner.name

    @property
    def leases(self) -> bool:
        """Whether the store inside keeps leases."""
        return self._inner.leases

    @property
    def needs_asyncio(self) -> bool:
        """Whether the store inside can be used in an asyncio loop only."""
        return self._inner.needs_asyncio

    @property
    def remembers(self) -> float | None:
        """For how many seconds a claim is remembered; ``None``: for ever."""
        return self._inner.remembers

    @property
    def bridge(self) -> Bridge | None:
        """The bridge that the backend inside came with."""
        return self._inner.bridge

    def open(self) -> AbstractAsyncContextManager[ClaimStore]:
        """Open the store inside; a fault of ``open`` is ``BackendUnavailable``."""
        return self._open()

    @asynccontextmanager
    async def _open(self) -> AsyncGenerator[ClaimStore]:
        async with self._carrier() as network:
            wire = Wire(self._faults, self._gate, network)
            try:
                await wire.call("open", anyio.lowlevel.checkpoint)
            except ConnectionError as error:
                raise BackendUnavailable(str(error)) from error
            async with self._inner.open() as store:
                yield self._seen_through(wire, store)

    def _carrier(self) -> AbstractAsyncContextManager[TaskGroup]:
        return open_nursery() if self._network is None else nullcontext(self._network)

    def _seen_through(self, wire: Wire, store: ClaimStore) -> ClaimStore:
        if self._inner.leases:
            return FaultyLeaseStore(wire, cast("LeaseStore", store))
        return FaultyClaimStore(wire, store)

    def __repr__(self) -> str:
        return f"FaultyBackend({self._inner!r})"


class FaultyClaimStore:
    """An open claim-only store, at the other end of the wire."""

    def __init__(self, wire: Wire, inner: ClaimStore) -> None:
        self._wire = wire
        self._inner = inner

    async def time(self) -> int | None:
        """Ask for the store's clock."""
        return await self._wire.call("time", self._inner.time)

    async def prepare(self, jobs: Sequence[str]) -> None:
        """Ask to create what these jobs need."""
        await self._wire.call("prepare", self._inner.prepare, jobs)

    async def claim(self, claim: Claim) -> ClaimReply:
        """Send a claim."""
        return await self._wire.call("claim", self._inner.claim, claim)

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """Send an attempt's end."""
        return await self._wire.call(
            "finish", self._inner.finish, job, slot, token, end
        )

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Send the record of a manual run."""
        await self._wire.call("record", self._inner.record, record, token, keep)

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Ask for the newest records of a job."""
        return await self._wire.call("history", self._inner.history, job, limit)


class FaultyLeaseStore(FaultyClaimStore):
    """An open lease store, at the other end of the wire."""

    def __init__(self, wire: Wire, inner: LeaseStore) -> None:
        super().__init__(wire, inner)
        self._leases = inner

    async def heartbeat(self, job: str, slot: int, token: str, lease: float) -> Answer:
        """Send a heartbeat."""
        return await self._wire.call(
            "heartbeat", self._leases.heartbeat, job, slot, token, lease
        )

    async def release(self, job: str, slot: int, token: str) -> Answer:
        """Send a release."""
        return await self._wire.call("release", self._leases.release, job, slot, token)

    async def unfinished(self, jobs: Sequence[str]) -> Unfinished:
        """Ask for the unfinished runs of these jobs."""
        return await self._wire.call("unfinished", self._leases.unfinished, jobs)
