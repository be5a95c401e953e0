"""A backend whose calls are counted: each method call is one round trip to the store.

Decides what a call is called. Changes none of them.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import cast

from anarchon.backends import backend_from
from anarchon.bridge import Bridge
from anarchon.model import End, Reason, RunRecord
from anarchon.protocol import (
    Answer,
    Backend,
    Claim,
    ClaimReply,
    ClaimStore,
    LeaseStore,
    Unfinished,
)


class CountingBackend:
    """A lease backend; ``calls`` counts those of all the stores opened from it.

    The words are the methods' names, but for a claim by which a backup looks after
    somebody's run: that is a ``check``.
    """

    def __init__(self, inner: str | Backend) -> None:
        self.calls: Counter[str] = Counter()
        self._inner = backend_from(inner)

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
        """Open the store inside."""
        return self._open()

    @asynccontextmanager
    async def _open(self) -> AsyncGenerator[LeaseStore]:
        async with self._inner.open() as store:
            yield CountingStore(cast("LeaseStore", store), self.calls)


class CountingStore:
    """An open lease store; each call is counted before it is made."""

    def __init__(self, inner: LeaseStore, calls: Counter[str]) -> None:
        self._inner = inner
        self._calls = calls

    async def time(self) -> int | None:
        """Ask for the store's clock."""
        self._calls["time"] += 1
        return await self._inner.time()

    async def prepare(self, jobs: Sequence[str]) -> None:
        """Ask to create what these jobs need."""
        self._calls["prepare"] += 1
        await self._inner.prepare(jobs)

    async def claim(self, claim: Claim) -> ClaimReply:
        """Send a claim."""
        self._calls["check" if claim.mode is Reason.TAKEOVER else "claim"] += 1
        return await self._inner.claim(claim)

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """Send an attempt's end."""
        self._calls["finish"] += 1
        return await self._inner.finish(job, slot, token, end)

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Send the record of a manual run."""
        self._calls["record"] += 1
        await self._inner.record(record, token, keep)

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Ask for the newest records of a job."""
        self._calls["history"] += 1
        return await self._inner.history(job, limit)

    async def heartbeat(self, job: str, slot: int, token: str, lease: float) -> Answer:
        """Send a heartbeat."""
        self._calls["heartbeat"] += 1
        return await self._inner.heartbeat(job, slot, token, lease)

    async def release(self, job: str, slot: int, token: str) -> Answer:
        """Send a release."""
        self._calls["release"] += 1
        return await self._inner.release(job, slot, token)

    async def unfinished(self, jobs: Sequence[str]) -> Unfinished:
        """Ask for the unfinished runs of these jobs."""
        self._calls["unfinished"] += 1
        return await self._inner.unfinished(jobs)
