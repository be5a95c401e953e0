"""Claims, heartbeats and ends by many callers at once, each call timed.

Decides what is asked: first attempts of jobs in use, whose runs are finished and whose
history is full. Must not know which store is asked.
"""

import itertools
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, TypeVarTuple, cast

import anyio

from anarchon.backends import backend_from
from anarchon.bridge import Bridge
from anarchon.connecting import connected
from anarchon.model import End, Overlap, Reason, Status
from anarchon.protocol import Claim, ClaimStore, Done, LeaseStore, Running, Won
from benchmarks.floors import Opening
from benchmarks.percentiles import percentile

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

CALLERS = (1, 8, 32)
MOST = max(CALLERS)
FLOOR = "floor"
OTHER = "other"
KEEP = 5
LEASE = 30.0
BOUND = 5.0
SUCCESS = End(status=Status.SUCCESS, duration=0.1)
# milliseconds: so long ago are the slots that no store takes one for early
PAST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast a call was: seconds that one took, and how many a second were made."""

    median: float
    p99: float
    rate: float


# by the word of the call and the number of callers
Paces = dict[tuple[str, int], Pace]
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


async def pace_of_store(
    url: str,
    turns: Turns,
    callers: Sequence[int],
    words: Sequence[str],
    direct: bool,
) -> Paces:
    """Return the pace of the calls of these words, in turn, by so many callers."""
    found: Paces = {}
    async with connected(backend_from(url)) as (bridge, store):
        calls = Calls(bridge, store, direct=direct).by_word(leases=True)
        await bridge.call(store.prepare, turns.jobs)
        claims = turns.next()[:MOST]
        for word in words:
            # connections are made when first needed
            await _pace(calls[word], claims, MOST)
        for many in callers:
            claims = turns.next()
            for word in words:
                found[word, many] = await _pace(calls[word], claims, many)
    return found


async def pace_of_floor(
    opening: Opening, url: str, claims: int, callers: Sequence[int]
) -> Paces:
    """Return the pace of the bare call by so many callers."""
    numbers = itertools.count()
    async with opening(url) as call:
        await _pace(call, itertools.islice(numbers, MOST), MOST)
        return {
            (FLOOR, many): await _pace(call, itertools.islice(numbers, claims), many)
            for many in callers
        }


async def _pace(
    call: Callable[[T], Awaitable[object]], things: Iterable[T], callers: int
) -> Pace:
    """Let the callers take one thing after the other, until there are none."""
    left, times = iter(things), list[float]()

    async def caller() -> None:
        for thing in left:
            began = time.perf_counter()
            await call(thing)
            times.append(time.perf_counter() - began)

    began = time.perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(callers):
            group.start_soon(caller)
    took = time.perf_counter() - began
    return Pace(
        median=percentile(times, 50),
        p99=percentile(times, 99),
        rate=len(times) / took,
    )


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
