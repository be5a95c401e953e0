"""Races drawn from numbers: who asks what, and in which order.

Decides how likely it is that requests meet. Must not know what will be answered.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from anarchon.model import End, Overlap, Reason, Status
from anarchon.protocol import Claim
from property_tests.races.plans import Ask, Burst, Clock, Field, Pass, Step
from property_tests.races.requests import (
    MANY,
    Finish,
    Heartbeat,
    ReadHistory,
    ReadRuns,
    Release,
    Request,
)

WORKERS = "ABCD"
BURSTS = 3
MOST_STEPS = 8
MOST_ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What is near in time: slots are ``step`` ms apart, ``leases`` are in seconds."""

    step: int
    leases: Sequence[float]
    moves: Sequence[int] = ()


PACES = {
    # with a lease of nothing a run can be taken over at once
    Clock.STILL: Pace(step=1_000, leases=[0.0, 30.0]),
    Clock.MOVED: Pace(
        step=10_000,
        leases=[5.0, 30.0],
        moves=[1, 4_999, 5_000, 10_000, 30_001, -1, -5_000],
    ),
    Clock.OWN: Pace(step=10, leases=[0.002, 0.01], moves=[1, 3, 10]),
}
ENDS = [
    End(status=Status.SUCCESS, duration=1.0),
    End(status=Status.FAILED, duration=1.0, error="boom"),
]


def drawn(number: int, field: Field) -> list[Burst]:
    """Return the bursts of the race of this number, in this field."""
    return _Draw(random.Random(number), field).bursts()


class _Draw:
    """A race in the making. Few values, so that what belongs together meets."""

    def __init__(self, chance: random.Random, field: Field) -> None:
        self._chance = chance
        self._field = field
        self._pace = PACES[field.clock]
        self._moves = bool(self._pace.moves)
        self._now = field.start - (0 if self._moves else BURSTS * self._pace.step)
        self._claims: list[Claim] = []

    def bursts(self) -> list[Burst]:
        return [self._burst() for _ in range(BURSTS)]

    def _burst(self) -> Burst:
        """Let a slot become due; one worker at most lets time pass."""
        due = self._pass(self._pace.step)
        mover = self._chance.choice(WORKERS)
        return Burst(
            before=[due] if self._moves else [],
            steps={
                worker: self._steps(worker, moves=self._moves and worker == mover)
                for worker in WORKERS
            },
        )

    def _steps(self, worker: str, *, moves: bool) -> list[Step]:
        steps = range(self._chance.randint(3, MOST_STEPS))
        return [self._step(worker, moves=moves) for _ in steps]

    def _step(self, worker: str, *, moves: bool) -> Step:
        if moves and self._happens(0.25):
            return self._pass(self._chance.choice(self._pace.moves))
        request = self._request(worker)
        waits = isinstance(request, Finish) and not self._field.store.one_step
        return Ask(
            request=request,
            patience=None if waits else self._patience(),
            own=self._happens(0.6),
        )

    def _pass(self, ms: int) -> Pass:
        self._now += ms
        return Pass(ms=ms)

    def _patience(self) -> float | None:
        if self._moves or not self._happens(0.1):
            return None
        return 10 ** self._chance.uniform(-4.5, -2.5)

    def _request(self, worker: str) -> Request:
        if self._field.store.snapshots and self._happens(0.1):
            return self._read()
        known = self._known(worker)
        if not known or self._happens(0.6):
            return self._claim(worker, known)
        return self._act(self._chance.choice(known))

    def _known(self, worker: str) -> list[Claim]:
        """Return the last claims, mostly the worker's own."""
        own = [claim for claim in self._claims if claim.instance_id == worker]
        only_own = not self._field.store.strict or (own and self._happens(0.7))
        return (own if only_own else self._claims)[-4:]

    def _read(self) -> Request:
        job = self._chance.choice(self._field.jobs)
        if self._field.store.leases and self._happens(0.5):
            return ReadRuns(job=job)
        return ReadHistory(job=job)

    def _claim(self, worker: str, known: list[Claim]) -> Claim:
        """Claim a first attempt or the next one, or deliver a copy of a claim."""
        last = self._chance.choice(known) if known else None
        if last is not None and self._happens(0.2):
            return last
        job = self._chance.choice([*self._field.jobs, self._field.jobs[0]])
        slot, attempt = self._slot(), 1
        if last is not None and self._may_follow(last) and self._happens(0.6):
            job, slot, attempt = last.job, last.slot, last.attempt + 1
        claim = self._new_claim(worker, job, slot, attempt)
        self._claims.append(claim)
        return claim

    def _may_follow(self, claim: Claim) -> bool:
        return self._field.store.leases and claim.attempt < MOST_ATTEMPTS

    def _new_claim(self, worker: str, job: str, slot: int, attempt: int) -> Claim:
        """Claim under the token that the worker has for this attempt."""
        number = (slot - self._field.start) // self._pace.step
        return Claim(
            job=job,
            slot=slot,
            token=f"{worker.lower()}{attempt}@{number}",
            attempt=attempt,
            instance_id=worker,
            mode=Reason.SCHEDULED if attempt == 1 else Reason.TAKEOVER,
            lease=self._chance.choice(self._pace.leases),
            overlap=self._chance.choice(list(Overlap)),
            max_attempts=self._chance.randint(1, MOST_ATTEMPTS),
            limit=self._chance.choice([60.0, 5.0]),
            startable=self._chance.choice([60.0, 5.0]),
            keep=self._chance.choice([1, 2, 5]) if self._field.store.trims else MANY,
            keep_for=self._chance.choice([0.0, 10.0]),
        )

    def _slot(self) -> int:
        """Return the newest slot that is due, or one near it."""
        step, start = self._pace.step, self._field.start
        due = self._now - (self._now - start) % step
        return due + step * self._chance.choice([-1, 0, 0, 0, 1])

    def _act(self, claim: Claim) -> Request:
        job, slot, token = claim.job, claim.slot, claim.token
        if not self._field.store.leases or self._happens(1 / 3):
            end = self._chance.choice(ENDS if self._field.store.strict else ENDS[:1])
            return Finish(job=job, slot=slot, token=token, end=end)
        if self._happens(1 / 2):
            return Release(job=job, slot=slot, token=token)
        lease = self._chance.choice(self._pace.leases)
        return Heartbeat(job=job, slot=slot, token=token, lease=lease)

    def _happens(self, often: float) -> bool:
        return self._chance.random() < often
