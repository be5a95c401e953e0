"""A store in memory that writes down each step that it takes.

Decides what a step is: one request that was carried out, with its answer, at the moment
when that happened, whether or not anybody heard of it. Must not know what steps mean.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

import anyio

from anarchon.backends.memory import MemoryBackend
from anarchon.model import End
from anarchon.protocol import Answer, Claim, ClaimReply, Done, LeaseStore, Won
from anarchon.testing.clocks import VirtualClock


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

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(clock=clock)
        self.steps: list[Step] = []

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["WitnessStore"]:  # type: ignore[override]
        """Yield the store."""
        async with super().open() as store:
            yield WitnessStore(cast("LeaseStore", store), self.steps)


class WitnessStore:
    """An open store; between a step and its note there is no await."""

    def __init__(self, store: LeaseStore, steps: list[Step]) -> None:
        self._store = store
        self._steps = steps
        self.time = store.time
        self.prepare = store.prepare
        self.record = store.record
        self.history = store.history
        self.unfinished = store.unfinished

    async def claim(self, claim: Claim) -> ClaimReply:
        """Answer a claim."""
        reply = await self._store.claim(claim)
        self._note("claim", claim.job, claim.slot, claim.token, claim, reply)
        return reply

    async def heartbeat(self, job: str, slot: int, token: str, lease: float) -> Answer:
        """Answer a heartbeat."""
        answer = await self._store.heartbeat(job, slot, token, lease)
        self._note("heartbeat", job, slot, token, lease, answer)
        return answer

    async def release(self, job: str, slot: int, token: str) -> Answer:
        """Answer a release."""
        answer = await self._store.release(job, slot, token)
        self._note("release", job, slot, token, None, answer)
        return answer

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """Answer a finish."""
        answer = await self._store.finish(job, slot, token, end)
        self._note("finish", job, slot, token, end, answer)
        return answer

    def _note(
        self,
        operation: str,
        job: str,
        slot: int,
        token: str,
        asked: Claim | End | float | None,
        reply: ClaimReply | Answer,
    ) -> None:
        assert reply.now is not None
        self._steps.append(
            Step(
                time=anyio.current_time(),
                now=reply.now,
                operation=operation,
                job=job,
                slot=slot,
                token=token,
                asked=asked,
                reply=reply,
            )
        )
