"""A memory store whose calls wait several times, and tell of each wait."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar, TypeVarTuple

import anyio.lowlevel

from anarchon import MemoryBackend, RunRecord
from anarchon.backends.memory.store import MemoryClaimStore, MemoryLeaseStore
from anarchon.model import End
from anarchon.protocol import Answer, Claim, ClaimReply, Unfinished
from anarchon.testing.clocks import VirtualClock

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

HALF = 3
"""How many waits each call has before its effect, and as many after it."""


@dataclass
class Waits:
    """Counts the waits of one operation; at the chosen one, something happens."""

    operation: str
    chosen: int
    then: Callable[[], object]
    passed: int = 0

    async def wait(self, operation: str) -> None:
        """Pass one wait."""
        if operation == self.operation:
            self.passed += 1
            if self.passed == self.chosen:
                self.then()
        await anyio.lowlevel.checkpoint()


class WaitingStore(MemoryLeaseStore):
    """A store whose calls wait several times, before and after they act."""

    def __init__(self, store: MemoryLeaseStore, waits: Waits) -> None:
        self._store = store
        self._waits = waits

    async def _call(
        self, operation: str, method: Callable[[*Ts], Awaitable[T]], *args: *Ts
    ) -> T:
        for _ in range(HALF):
            await self._waits.wait(operation)
        reply = await method(*args)
        for _ in range(HALF):
            await self._waits.wait(operation)
        return reply

    async def time(self) -> int:
        """Ask for the time."""
        return await self._call("time", self._store.time)

    async def prepare(self, jobs: Sequence[str]) -> None:
        """Prepare jobs."""
        await self._call("prepare", self._store.prepare, jobs)

    async def claim(self, claim: Claim) -> ClaimReply:
        """Claim an attempt."""
        return await self._call("claim", self._store.claim, claim)

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """Finish an attempt."""
        return await self._call("finish", self._store.finish, job, slot, token, end)

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Record a manual run."""
        await self._call("record", self._store.record, record, token, keep)

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Read records."""
        return await self._call("history", self._store.history, job, limit)

    async def heartbeat(self, job: str, slot: int, token: str, lease: float) -> Answer:
        """Beat."""
        return await self._call(
            "heartbeat", self._store.heartbeat, job, slot, token, lease
        )

    async def release(self, job: str, slot: int, token: str) -> Answer:
        """Release an attempt."""
        return await self._call("release", self._store.release, job, slot, token)

    async def unfinished(self, jobs: Sequence[str]) -> Unfinished:
        """Read what is unfinished."""
        return await self._call("unfinished", self._store.unfinished, jobs)


class WaitingBackend(MemoryBackend):
    """The memory backend with waits."""

    def __init__(self, clock: VirtualClock, waits: Waits) -> None:
        super().__init__(clock=clock)
        self._waits = waits

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[MemoryClaimStore]:
        """Open it."""
        async with super().open() as store:
            assert isinstance(store, MemoryLeaseStore)
            yield WaitingStore(store, self._waits)
