"""Claims, heartbeats and ends: what is asked of a store, and of which slots.

Decides that they are first attempts of jobs in use, whose runs are finished and whose
history is full. Must not know which store is asked, nor by how many at once.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar, TypeVarTuple, cast

from anarchon.bridge import Bridge
from anarchon.model import End, Overlap, Reason, Status
from anarchon.protocol import Claim, ClaimStore, Done, LeaseStore, Running, Won

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

CALLERS = (1, 8, 32)
MOST = max(CALLERS)
OTHER = "other"
KEEP = 5
LEASE = 30.0
BOUND = 5.0
SUCCESS = End(status=Status.SUCCESS, duration=0.1)
# milliseconds: so long ago are the slots that no store takes one for early
PAST = 1_000_000


Call = Callable[[Claim], Awaitable[None]]


class Calls:
    """What callers ask of a store, over the bridge as a scheduler does, or directly."""

    def __init__(self, bridge: Bridge, store: ClaimStore, *, direct: bool) -> None:
        self._bridge = bridge
        self._store = store
        self._direct = direct

    def by_word(self, *, leases: bool) -> dict[str, Call]:
        """Return the calls of one attempt in their order, those of a lease or none."""
        kept = {"heartbeat": self.heartbeat, "unfinished": self.unfinished}
        return {
            "claim": self.claim,
            "claim of a taken slot": self.claim_taken,
            **(kept if leases else {}),
            "finish": self.finish,
            "claim of a finished slot": self.claim_done,
            "history": self.history,
        }

    async def claim(self, claim: Claim) -> None:
        """Take the attempt."""
        reply = await self._ask(self._store.claim, claim)
        assert isinstance(reply, Won), reply

    async def claim_taken(self, won: Claim) -> None:
        """Ask for the same attempt as another instance would."""
        reply = await self._ask(self._store.claim, replace(won, token=OTHER))
        assert isinstance(reply, Running), reply

    async def claim_done(self, won: Claim) -> None:
        """Ask for it as another instance would that comes when it has ended."""
        reply = await self._ask(self._store.claim, replace(won, token=OTHER))
        assert isinstance(reply, Done | Running), reply

    async def heartbeat(self, won: Claim) -> None:
        """Push its lease forward."""
        key = (won.job, won.slot, won.token)
        answer = await self._ask(self._leases.heartbeat, *key, LEASE)
        assert answer.accepted, won

    async def finish(self, won: Claim) -> None:
        """End it."""
        key = (won.job, won.slot, won.token)
        answer = await self._ask(self._store.finish, *key, SUCCESS)
        assert answer.accepted, won

    async def release(self, won: Claim) -> None:
        """Hand it over."""
        key = (won.job, won.slot, won.token)
        answer = await self._ask(self._leases.release, *key)
        assert answer.accepted, won

    async def unfinished(self, won: Claim) -> None:
        """Read the unfinished runs of its job."""
        reply = await self._ask(self._leases.unfinished, [won.job])
        assert len(reply.runs) == 1, reply

    async def history(self, won: Claim) -> None:
        """Read the records of its job."""
        assert await self._ask(self._store.history, won.job, KEEP)

    @property
    def _leases(self) -> LeaseStore:
        return cast("LeaseStore", self._store)

    async def _ask(self, operation: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> T:
        if self._direct:
            return await operation(*args)
        return await self._bridge.call(operation, *args, bound=BOUND, keep=True)


class Turns:
    """Claims of ever newer slots; each turn is of so many claims.

    A lease store grants no slot of a job that has a run, so each is of a job of its
    own there; where nothing forbids it, a few jobs share them.
    """

    def __init__(self, claims: int, *, leases: bool) -> None:
        self.claims = claims
        self.jobs = [f"job-{number}" for number in range(claims if leases else MOST)]
        self._first = int(time.time() * 1000) - PAST

    def next(self) -> list[Claim]:
        """Return the claims of the next turn."""
        jobs = len(self.jobs)
        made = [
            _claim(self.jobs[number % jobs], self._first + number // jobs)
            for number in range(self.claims)
        ]
        self._first = made[-1].slot + 1
        return made


def _claim(job: str, slot: int) -> Claim:
    return Claim(
        job=job,
        slot=slot,
        token=f"{slot}-{job}",
        attempt=1,
        instance_id="host:1",
        mode=Reason.SCHEDULED,
        lease=LEASE,
        overlap=Overlap.SKIP,
        max_attempts=3,
        limit=1e10,
        startable=1e10,
        keep=KEEP,
        keep_for=0.0,
    )
