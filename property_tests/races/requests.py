"""What can be asked of a store, as values that are drawn, sent and judged.

Decides how each is sent. Must not know what the right answer is.
"""

from dataclasses import dataclass
from typing import TypeAlias, cast

from anarchon.model import End, RunRecord
from anarchon.protocol import (
    Answer,
    Claim,
    ClaimReply,
    ClaimStore,
    LeaseStore,
    Unfinished,
)

MANY = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """Push a lease's end forward."""

    job: str
    slot: int
    token: str
    lease: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Hand a run over."""

    job: str
    slot: int
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """End a run."""

    job: str
    slot: int
    token: str
    end: End


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRuns:
    """Read the unfinished runs of a job."""

    job: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadHistory:
    """Read all records of a job."""

    job: str


Request: TypeAlias = Claim | Heartbeat | Release | Finish | ReadRuns | ReadHistory
Reply: TypeAlias = ClaimReply | Answer | Unfinished | tuple[RunRecord, ...]


async def sent(request: Request, store: ClaimStore) -> Reply:
    """Send a request to a store; what is about leases, to one that keeps them."""
    leases = cast("LeaseStore", store)
    match request:
        case Claim():
            return await store.claim(request)
        case Finish(job=job, slot=slot, token=token, end=end):
            return await store.finish(job, slot, token, end)
        case Heartbeat(job=job, slot=slot, token=token, lease=lease):
            return await leases.heartbeat(job, slot, token, lease)
        case Release(job=job, slot=slot, token=token):
            return await leases.release(job, slot, token)
        case ReadRuns(job=job):
            return await leases.unfinished([job])
        case ReadHistory(job=job):
            return tuple(await store.history(job, MANY))


def told_now(reply: Reply | None) -> int | None:
    """Return the store's time as the reply has it, if it has one."""
    return None if reply is None or isinstance(reply, tuple) else reply.now
