"""A store in memory, of any kind, that writes down each step that it takes.

Decides what a step is: one request that was carried out, with its answer, at the moment
when that happened, whether or not anybody heard of it. Must not know what steps mean.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

import anyio

from anarchon.backends.clock import milliseconds
from anarchon.backends.memory import MemoryBackend
from anarchon.model import End
from anarchon.protocol import (
    Answer,
    Claim,
    ClaimReply,
    ClaimStore,
    Done,
    LeaseStore,
    Won,
)
from anarchon.testing.clocks import VirtualClock
from property_tests.clusters.plans import Kind
from property_tests.clusters.timeless import TimelessStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One request carried out: ``time`` is the loop's (s), ``now`` the store's (ms).

    ``asked`` is the claim of a claim, the end of a finish, the lease of a heartbeat.
    """

    time: float
    now: int
    operation: str
    job: str
    slot: int
    token: str
    asked: Claim | End | float | None
    reply: ClaimReply | Answer

    @property
    def ends_runs(self) -> bool:
        """Whether it ended other runs for good, or its own."""
        return isinstance(self.reply, Won | Done) and bool(self.reply.ended)


class WitnessBackend(MemoryBackend):
    """A memory backend whose steps are kept in ``steps``, in their order."""

    def __init__(self, clock: VirtualClock, kind: Kind = Kind.LEASES) -> None:
        super().__init__(clock=clock, leases=kind is Kind.LEASES)
        self.steps: list[Step] = []
        self._note = Notes(self.steps, clock)
        self._timeless = TimelessStore(clock) if kind is Kind.TIMELESS else None

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["WitnessClaimStore"]:  # type: ignore[override]
        """Yield the store."""
        async with super().open() as store:
            if self.leases:
                yield WitnessLeaseStore(cast("LeaseStore", store), self._note)
            else:
                yield WitnessClaimStore(self._timeless or store, self._note)


class Notes:
    """Writes steps down, at the loop's time and the store's."""

    def __init__(self, steps: list[Step], clock: VirtualClock) -> None:
        self._steps = steps
        self._clock = clock

    def __call__(
        self,
        operation: str,
        job: str,
        slot: int,
        token: str,
        asked: Claim | End | float | None,
        reply: ClaimReply | Answer,
    ) -> None:
        """Write one step down; where the reply tells no time, it is now."""
        now = milliseconds(self._clock.time()) if reply.now is None else reply.now
        self._steps.append(
            Step(
                time=anyio.current_time(),
                now=now,
                operation=operation,
                job=job,
                slot=slot,
                token=token,
                asked=asked,
                reply=reply,
            )
        )


class WitnessClaimStore:
    """An open store; between a step and its note there is no await."""

    def __init__(self, store: ClaimStore, note: Notes) -> None:
        self._store = store
        self._note = note
        self.time = store.time
        self.prepare = store.prepare
        self.record = store.record
        self.history = store.history

    async def claim(self, claim: Claim) -> ClaimReply:
        """Answer a claim."""
        reply = await self._store.claim(claim)
        self._note("claim", claim.job, claim.slot, claim.token, claim, reply)
        return reply

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """Answer a finish."""
        answer = await self._store.finish(job, slot, token, end)
        self._note("finish", job, slot, token, end, answer)
        return answer


class WitnessLeaseStore(WitnessClaimStore):
    """An open store with leases."""

    def __init__(self, store: LeaseStore, note: Notes) -> None:
        super().__init__(store, note)
        self._leases = store
        self.unfinished = store.unfinished

    async def heartbeat(self, job: str, slot: int, token: str, lease: float) -> Answer:
        """Answer a heartbeat."""
        answer = await self._leases.heartbeat(job, slot, token, lease)
        self._note("heartbeat", job, slot, token, lease, answer)
        return answer

    async def release(self, job: str, slot: int, token: str) -> Answer:
        """Answer a release."""
        answer = await self._leases.release(job, slot, token)
        self._note("release", job, slot, token, None, answer)
        return answer
