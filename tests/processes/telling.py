"""A backend whose every call to the store is told: what was asked, and the answer.

Decides the words of calls. Changes none of them; a claim's answer may be held back.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Literal, cast

import anyio

from anarchon.backends import backend_from
from anarchon.bridge import Bridge
from anarchon.model import End, RunRecord
from anarchon.protocol import (
    Answer,
    Backend,
    Claim,
    ClaimReply,
    ClaimStore,
    Done,
    LeaseStore,
    Unfinished,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call that was asked, with a claim's mode as ``reason``, or that was answered.

    ``attempt`` is the one that a claim wants, and 0 for other calls.
    """

    what: Literal["asked", "answered"]
    operation: str
    job: str
    slot: int
    attempt: int = 0
    reason: str


Tell = Callable[[Call], None]


class TellingBackend:
    """Any backend, seen from outside; the answer to a claim comes ``slow`` s late.

    ``tell`` is called in the thread of the store.
    """

    def __init__(self, inner: str | Backend, tell: Tell, slow: float) -> None:
        self._inner = backend_from(inner)
        self._tell = tell
        self._slow = slow

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
    async def _open(self) -> AsyncGenerator[ClaimStore]:
        async with self._inner.open() as store:
            if self._inner.leases:
                lease_store = cast("LeaseStore", store)
                yield TellingLeaseStore(lease_store, self._tell, self._slow)
            else:
                yield TellingClaimStore(store, self._tell, self._slow)


class TellingClaimStore:
    """An open claim-only store that tells its calls."""

    def __init__(self, inner: ClaimStore, tell: Tell, slow: float) -> None:
        self._inner = inner
        self._tell = tell
        self._slow = slow

    async def time(self) -> int | None:
        """Return the store's clock."""
        return await self._inner.time()

    async def prepare(self, jobs: Sequence[str]) -> None:
        """Create what these jobs need."""
        await self._inner.prepare(jobs)

    async def claim(self, claim: Claim) -> ClaimReply:
        """Send a claim; tell that it was asked, and the answer once it is known."""
        asked = Call(
            what="asked",
            operation="claim",
            job=claim.job,
            slot=claim.slot,
            attempt=claim.attempt,
            reason=claim.mode,
        )
        self._tell(asked)
        reply = await self._inner.claim(claim)
        await anyio.sleep(self._slow)
        self._tell(replace(asked, what="answered", reason=_answer(reply)))
        return reply

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """Send an end, and tell whether it was accepted."""
        answer = await self._inner.finish(job, slot, token, end)
        return self._told("finish", job, slot, answer)

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Send the record of a manual run."""
        await self._inner.record(record, token, keep)

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Read the records of a job."""
        return await self._inner.history(job, limit)

    def _told(self, operation: str, job: str, slot: int, answer: Answer) -> Answer:
        verdict = "accepted" if answer.accepted else "refused"
        self._tell(
            Call(
                what="answered",
                operation=operation,
                job=job,
                slot=slot,
                reason=verdict,
            )
        )
        return answer


class TellingLeaseStore(TellingClaimStore):
    """An open lease store that tells its calls."""

    def __init__(self, inner: LeaseStore, tell: Tell, slow: float) -> None:
        super().__init__(inner, tell, slow)
        self._leases = inner

    async def heartbeat(self, job: str, slot: int, token: str, lease: float) -> Answer:
        """Send a heartbeat, and tell whether it was accepted."""
        answer = await self._leases.heartbeat(job, slot, token, lease)
        return self._told("heartbeat", job, slot, answer)

    async def release(self, job: str, slot: int, token: str) -> Answer:
        """Send a release, and tell whether it was accepted."""
        answer = await self._leases.release(job, slot, token)
        return self._told("release", job, slot, answer)

    async def unfinished(self, jobs: Sequence[str]) -> Unfinished:
        """Read the unfinished runs of these jobs."""
        return await self._leases.unfinished(jobs)


def _answer(reply: ClaimReply) -> str:
    if isinstance(reply, Done):
        return "superseded" if reply.superseded else "done"
    return type(reply).__name__.lower()
